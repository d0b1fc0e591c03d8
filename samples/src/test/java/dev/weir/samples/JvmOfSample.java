package dev.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own that runs a sample. */
public final class JvmOfSample {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private JvmOfSample() {}

    /** Returns the exit code; fails if the JVM does not end. */
    public static int exitCode(Class<?> sample, String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), sample.getName()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("%s ends", sample.getSimpleName())
                    .isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }
}
