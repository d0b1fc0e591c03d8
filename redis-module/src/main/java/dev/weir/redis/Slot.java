package dev.weir.redis;

/**
 * Permits that the store has recorded as taken at some time.
 *
 * @param permits how many
 * @param atNanos the time on the clock of the store; in the future if they are booked
 * @param part whether they are part of a request that stays taken
 * @param one the permits of each of the requests that they were taken for
 */
record Slot(int permits, long atNanos, boolean part, int one) {

    Slot(int permits, long atNanos) {
        this(permits, atNanos, false, permits);
    }

    Slot(int permits, long atNanos, boolean part) {
        this(permits, atNanos, part, permits);
    }

    /** Tells whether the store, which counts in microseconds, cannot tell that one and this from one that is as large as both. */
    boolean isOneWith(Slot other) {
        return part == other.part
                && atNanos / 1000 == other.atNanos / 1000
                && permits <= Integer.MAX_VALUE - other.permits;
    }
}
