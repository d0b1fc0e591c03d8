package dev.weir.benchmarks.run;

import dev.weir.benchmarks.Figures;
import dev.weir.benchmarks.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Starts virtual machines that measure something and tell it. */
final class Machines {

    /**
     * Memory is counted after a collection that moves everything together, and threads take their share of it in small pieces,
     * or what they have not used yet would count. All of it has been touched before: to get a page of memory for the first time
     * may take the system longer than all that is measured.
     */
    static final List<String> COUNTING_MEMORY = List.of(
            "-XX:+UseSerialGC",
            "-XX:MarkSweepAlwaysCompactCount=1",
            "-XX:-ResizeTLAB",
            "-XX:TLABSize=256k",
            "-Xms3g",
            "-Xmx10g",
            "-Xmn2g",
            "-XX:+AlwaysPreTouch");

    /** A machine that takes longer has filled its memory, and does little else than to collect it. */
    static final long LONGEST_SECONDS = 100;

    private Machines() {}

    /** The same for a contender. A peer that ends with an error has no figures. */
    static Map<String, Double> run(Kind kind, List<String> options, Class<?> main, Object... arguments) {
        try {
            return run(options, main, arguments);
        } catch (IllegalStateException failed) {
            if (kind != Kind.PEER) {
                throw failed;
            }
            return Map.of();
        }
    }

    /** Runs the main method of a class that {@linkplain Figures#tell tells} figures. */
    static Map<String, Double> run(List<String> options, Class<?> main, Object... arguments) {
        try {
            Process process = start(options, main, arguments);
            CompletableFuture.delayedExecutor(LONGEST_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return Figures.heard(output);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(main.getName() + " " + Arrays.toString(arguments), e);
        }
    }

    /** Starts the main method of a class, on the same class path. */
    static Process start(List<String> options, Class<?> main, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }
}
