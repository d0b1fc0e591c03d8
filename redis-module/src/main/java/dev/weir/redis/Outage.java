package dev.weir.redis;

import org.jspecify.annotations.Nullable;

/**
 * An outage: a span of time in which this node decides on its own.
 *
 * @param sinceNanos when it began
 * @param earlier when those requests were made that it began with, if they had read the clock before; null if none had. They are
 *     decided as in the outage, though others from before it may have got what the store had granted
 * @param retryNanos when to try the store again
 * @param probeNanos when this limit begins to wait for its turn to probe the store, even without a request
 * @param cause why the store is taken to be unavailable
 */
record Outage(long sinceNanos, @Nullable Moments earlier, long retryNanos, long probeNanos, Throwable cause) {

    /** For how long a limit leaves it to requests to probe the store, before it waits for its turn to do so. */
    static final long BEFORE_TURN_NANOS = 1_000_000_000;

    /** Creates an outage that a request, or a failure, of that time finds out. */
    Outage(long sinceNanos, long retryNanos, long probeNanos, Throwable cause) {
        this(sinceNanos, null, retryNanos, probeNanos, cause);
    }

    /** Returns the outage that a failure begins or continues. Who could not ask, as too many do, waits for its turn at once. */
    static Outage after(Throwable cause, long sinceNanos, long pauseNanos, long nowNanos) {
        long probeNanos = cause instanceof TooManyCallsException ? nowNanos : nowNanos + BEFORE_TURN_NANOS;
        return new Outage(sinceNanos, nowNanos + pauseNanos, probeNanos, cause);
    }

    boolean covers(long nanos) {
        return nanos - sinceNanos >= 0 || Moments.cover(earlier, nanos);
    }

    /** Returns this as what begins now, or as what the current outage goes on with: it covers the request it is of in any case. */
    Outage beginning(@Nullable Outage current, long nowNanos) {
        Outage begun = current == null ? new Outage(nowNanos, retryNanos, probeNanos, cause) : current;
        Moments requests = begun.covers(sinceNanos) ? begun.earlier : Moments.with(begun.earlier, sinceNanos);
        return new Outage(begun.sinceNanos, requests, retryNanos, probeNanos, cause);
    }

    /** Returns this as an outage that is over. */
    Span until(long nanos) {
        return new Span(sinceNanos, earlier, nanos);
    }

    /** Returns whether to probe the store now. */
    boolean isProbeDue(long nowNanos) {
        return retryNanos - nowNanos <= 0;
    }
}
