package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.function.LongUnaryOperator;

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

    /** Returns how long it is until that time; if the clock throws, after how long to look again. */
    static long until(long nanos, TimeSource time) {
        return until(now -> nanos - now, time);
    }

    /** As {@link #until(long, TimeSource)}, for a time that is known only as how far it is from now. */
    static long until(LongUnaryOperator nanosFrom, TimeSource time) {
        try {
            return nanosFrom.applyAsLong(time.nanoTime());
        } catch (Throwable broken) {
            return Chore.AGAIN_NANOS;
        }
    }
}
