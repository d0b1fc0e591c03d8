package dev.weir.redis;

/**
 * Permits that the store has given to this node.
 *
 * @param permits how many
 * @param one the permits of each of the requests that they were asked for
 * @param booked whether those who wait booked them, rather than that they were there at once
 * @param storeNanos when the store has recorded them as taken, on its clock
 * @param readyNanos from when on they may be used, on the clock of this node
 * @param untilNanos until when they may
 */
record Held(int permits, int one, boolean booked, long storeNanos, long readyNanos, long untilNanos) {

    /** Tells whether they may be used: what was there at once also by those who read the clock before the answer came. */
    boolean isRipe(long nowNanos) {
        return !booked || readyNanos - nowNanos <= 0;
    }

    boolean isStale(long nowNanos) {
        return nowNanos - untilNanos > 0;
    }

    boolean isUsable(long nowNanos) {
        return isRipe(nowNanos) && !isStale(nowNanos);
    }

    /** The requests at the end that have so many permits at least, or all. */
    Held last(long atLeast) {
        long whole = (atLeast - 1) / one * one + one;
        return less((int) Math.max(0, permits - whole));
    }

    Held less(int taken) {
        return new Held(permits - taken, one, booked, storeNanos, readyNanos, untilNanos);
    }

    /** How many requests they are for, the last of which may be what one of another size has left. */
    long calls() {
        return (permits + one - 1L) / one;
    }

    Slot slot() {
        return new Slot(permits, storeNanos, false, one);
    }
}
