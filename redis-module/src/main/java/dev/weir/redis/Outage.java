package dev.weir.redis;

/**
 * A time in which this node decides on its own.
 *
 * @param sinceNanos when it began
 * @param retryNanos when to try the store again
 * @param cause why the store is taken to be unavailable
 */
record Outage(long sinceNanos, long retryNanos, Throwable cause) {

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
}
