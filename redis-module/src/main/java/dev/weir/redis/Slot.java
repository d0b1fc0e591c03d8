package dev.weir.redis;

/**
 * Permits that the store has recorded as taken at some time.
 *
 * @param permits how many
 * @param atNanos the time on the clock of the store; in the future if they are booked
 * @param part whether they are part of a request that stays taken
 */
record Slot(int permits, long atNanos, boolean part) {

    Slot(int permits, long atNanos) {
        this(permits, atNanos, false);
    }
}
