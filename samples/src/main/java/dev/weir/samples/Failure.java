package dev.weir.samples;

import java.io.PrintStream;

/** The end of a sample that has failed: one line for the user, and an exit code for the shell. */
public final class Failure {

    private static final int FAILED = 1;

    private Failure() {}

    /**
     * Prints one line: the message of a {@link SampleException}, or the beginning of any other error.
     *
     * @param error the reason of the failure
     * @param err where errors are printed
     * @return the exit code
     */
    public static int print(Throwable error, PrintStream err) {
        String words = error instanceof SampleException ? String.valueOf(error.getMessage()) : error.toString();
        err.println(words.lines().findFirst().orElse(""));
        return FAILED;
    }
}
