package dev.weir.redis;

/**
 * An outage: a span of time in which this node decides on its own.
 *
 * @param sinceNanos when it began
 * @param retryNanos when to try the store again
 * @param cause why the store is taken to be unavailable
 * @param isSettling whether the store is back, but this node still decides on its own and reports its usage
 * @param backNanos since when the store is back, if it is
 */
record Outage(long sinceNanos, long retryNanos, Throwable cause, boolean isSettling, long backNanos) {

    private static final long TELL_NANOS = 100_000_000;

    Outage(long sinceNanos, long retryNanos, Throwable cause) {
        this(sinceNanos, retryNanos, cause, false, 0);
    }

    /**
     * An outage that is over.
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

    /** Returns whether to probe the store now; while settling, whenever there is something to report. */
    boolean isWorthALook(boolean taken, long nowNanos) {
        return retryNanos - nowNanos <= 0 || (taken && isSettling);
    }

    /** Returns this after an answer of the store: settling, with the next report due after TELL_NANOS at the latest. */
    Outage answered(long nowNanos) {
        return new Outage(sinceNanos, nowNanos + TELL_NANOS, cause, true, isSettling ? backNanos : nowNanos);
    }
}
