package dev.weir.redis;

import dev.weir.time.TimeSource;

/** A reading of a clock that may throw, where others depend on what comes after: who else would go on for them? */
final class ClockReading {

    private ClockReading() {}

    /** Returns the time; if the clock throws, one known from before, by which it does no harm to go on. */
    static long or(long known, TimeSource time) {
        try {
            return time.nanoTime();
        } catch (Throwable broken) {
            return known;
        }
    }
}
