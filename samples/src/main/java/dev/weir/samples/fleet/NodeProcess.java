package dev.weir.samples.fleet;

import dev.weir.samples.SampleException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A node in a JVM of its own. */
final class NodeProcess {

    private NodeProcess() {}

    /**
     * Runs a node to its end; cancelling ends it. All its output except the line of {@link Decisions} is an error message and is
     * passed on. Fails if the exit code is not 0.
     */
    static Mono<Decisions> run(String name, String redis, String site, PrintStream err) {
        return Mono.using(
                () -> start(name, redis, site),
                process -> Mono.fromCallable(() -> listen(process, name, err))
                        .subscribeOn(Schedulers.boundedElastic())
                        .delayUntil(decisions -> end(process, name)),
                Process::destroy);
    }

    private static Mono<Void> end(Process process, String name) {
        return Mono.fromFuture(process.onExit(), true)
                .filter(ended -> ended.exitValue() != 0)
                .flatMap(failed -> Mono.error(new SampleException(name + " failed")));
    }

    private static Process start(String name, String redis, String site) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-classpath",
                        System.getProperty("java.class.path"),
                        "dev.weir.samples.Fleet",
                        "--node",
                        name,
                        redis,
                        site)
                .redirectErrorStream(true)
                .start();
    }

    private static Decisions listen(Process process, String name, PrintStream err) {
        Decisions decisions = Decisions.NONE;
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Optional<Decisions> told = Decisions.read(line);
                if (told.isEmpty()) {
                    err.println(name + ": " + line);
                }
                decisions = decisions.plus(told.orElse(Decisions.NONE));
            }
        } catch (IOException ended) {
            // Happens when the process is destroyed; the exit code tells the rest.
        }
        return decisions;
    }
}
