package dev.weir.redis;

import org.jspecify.annotations.Nullable;

/**
 * An outage: a span of time in which this node decides on its own.
 *
 * @param sinceNanos when it began
 * @param retryNanos when to try the store again
 * @param probeNanos when this limit begins to wait for its turn to probe the store, even without a request
 * @param cause why the store is taken to be unavailable
 */
record Outage(long sinceNanos, long retryNanos, long probeNanos, Throwable cause) {

    /**
     * An outage that is over, or the time after one.
     *
     * @param sinceNanos when it began
     * @param untilNanos when it ended
     */
    record Span(long sinceNanos, long untilNanos) {

        boolean covers(long nanos) {
            return nanos - sinceNanos >= 0 && nanos - untilNanos < 0;
        }
    }

    /** Returns the outage that a failure begins or continues. Who could not ask, as too many do, waits for its turn at once. */
    static Outage after(Throwable cause, long sinceNanos, long pauseNanos, long nowNanos) {
        long probeNanos = cause instanceof TooManyCallsException ? nowNanos : nowNanos + Circuit.LONGEST_NANOS;
        return new Outage(sinceNanos, nowNanos + pauseNanos, probeNanos, cause);
    }

    boolean covers(long nanos) {
        return nanos - sinceNanos >= 0;
    }

    /** Returns this as what the current outage goes on with, if there is one: it began when that did. */
    Outage continuing(@Nullable Outage current) {
        return current != null && current.covers(sinceNanos)
                ? new Outage(current.sinceNanos, retryNanos, probeNanos, cause)
                : this;
    }

    /** Returns whether to probe the store now. */
    boolean isProbeDue(long nowNanos) {
        return retryNanos - nowNanos <= 0;
    }
}
