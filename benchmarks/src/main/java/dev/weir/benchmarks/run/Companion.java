package dev.weir.benchmarks.run;

import dev.weir.benchmarks.Figures;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A virtual machine that measures when it is asked to, and rests meanwhile: so several can take turns. */
final class Companion implements AutoCloseable {

    private final Process process;
    private final PrintStream questions;
    private final BufferedReader answers;

    private Companion(Process process) {
        this.process = process;
        this.questions = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    static Companion start(List<String> options, Class<?> main, Object... arguments) {
        try {
            return new Companion(Machines.start(options, main, arguments));
        } catch (IOException e) {
            throw new IllegalStateException(main.getName(), e);
        }
    }

    /**
     * Returns the figures that it says in answer.
     *
     * @throws IllegalStateException with what it said otherwise, if it ended instead, or was made to after too long
     */
    Map<String, Double> ask(String question) {
        CompletableFuture<Void> tooLong = CompletableFuture.runAsync(
                process::destroyForcibly,
                CompletableFuture.delayedExecutor(Machines.LONGEST_SECONDS, TimeUnit.SECONDS));
        questions.println(question);
        StringBuilder said = new StringBuilder();
        try {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (Figures.areIn(line)) {
                    return Figures.heard(line);
                }
                said.append(line).append('\n');
            }
            throw new IllegalStateException("no answer to " + question + "\n" + said);
        } catch (IOException e) {
            throw new IllegalStateException(question, e);
        } finally {
            tooLong.cancel(false);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
