package dev.weir.testkit;

import java.util.function.LongConsumer;

/** Laws that are tried with more than one seed: whoever sees one fail can have the same again. */
final class Seeds {

    private Seeds() {}

    /** Tries a law with the seeds from 1 on, and names the one that it fails for. */
    static void each(int seeds, LongConsumer law) {
        for (long seed = 1; seed <= seeds; seed++) {
            try {
                law.accept(seed);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
