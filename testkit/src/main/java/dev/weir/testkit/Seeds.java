package dev.weir.testkit;

import java.util.function.LongConsumer;

/** Checks a property with several random seeds, so that a failure can be reproduced. */
final class Seeds {

    private Seeds() {}

    /** Checks a property with the seeds 1 to {@code seeds}, and reports the one for which it fails. */
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
