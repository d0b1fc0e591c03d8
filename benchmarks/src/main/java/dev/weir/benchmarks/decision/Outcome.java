package dev.weir.benchmarks.decision;

import java.time.Duration;

/** Whether the limit bites. */
public enum Outcome {

    /**
     * Every request is granted, and for the same reason as in real life: slots become free as fast as time passes. A permit a
     * nanosecond is more than any thread can ask for, yet every decision reads the clock, reckons and records.
     */
    GRANTED {
        @Override
        Duration period(int permits) {
            return Duration.ofNanos(permits);
        }
    },

    /** Every request is refused: the permits are gone before the measurement begins, and none comes back while it lasts. */
    REFUSED {
        @Override
        Duration period(int permits) {
            return Duration.ofDays(365);
        }
    };

    /** The time in which so many permits are there to be taken. */
    abstract Duration period(int permits);
}
