package dev.weir.redis;

/**
 * A recorded take: permits that the store has recorded as taken at some time.
 *
 * @param permits how many
 * @param atNanos the time on the clock of the store; in the future if they are booked
 * @param part whether they are part of a request whose rest stays taken
 * @param one the permits of each of the requests that they were taken for
 */
record Slot(int permits, long atNanos, boolean part, int one) {

    Slot(int permits, long atNanos) {
        this(permits, atNanos, false, permits);
    }

    Slot(int permits, long atNanos, boolean part) {
        this(permits, atNanos, part, permits);
    }

    /** Returns whether the two can be merged: to the store, which counts in microseconds, they are like one of the sum. */
    boolean isOneWith(Slot other) {
        return part == other.part
                && atNanos / 1000 == other.atNanos / 1000
                && permits <= Integer.MAX_VALUE - other.permits;
    }
}
