package dev.weir.redis;

/**
 * A time in which this node decides on its own.
 *
 * @param sinceNanos when it began
 * @param retryNanos when to try the store again
 * @param cause why the store is taken to be unavailable
 * @param isSettling whether the store is back, and this node still goes on alone, and tells it what it does
 * @param backNanos since when, if it is
 */
record Outage(long sinceNanos, long retryNanos, Throwable cause, boolean isSettling, long backNanos) {

    private static final long TELL_NANOS = 100_000_000;

    Outage(long sinceNanos, long retryNanos, Throwable cause) {
        this(sinceNanos, retryNanos, cause, false, 0);
    }

    /**
     * One that is over.
     *
     * @param sinceNanos when it began
     * @param untilNanos when it ended
     */
    record Past(long sinceNanos, long untilNanos) {

        boolean covers(long nanos) {
            return nanos - sinceNanos >= 0 && nanos - untilNanos < 0;
        }
    }

    boolean covers(long nanos) {
        return nanos - sinceNanos >= 0;
    }

    /** Tells whether to ask the store now; while this settles, whenever there is something to tell. */
    boolean isWorthALook(boolean taken, long nowNanos) {
        return retryNanos - nowNanos <= 0 || (taken && isSettling);
    }

    /** The same, once the store has answered; so many nanoseconds later at most it is told again. */
    Outage answered(long nowNanos) {
        return new Outage(sinceNanos, nowNanos + TELL_NANOS, cause, true, isSettling ? backNanos : nowNanos);
    }
}
