package dev.weir.redis;

import org.jspecify.annotations.Nullable;

/**
 * All times from one request's to another's. Two numbers, as any number of requests may arrive while an outage is found out. A permit that
 * the store granted in between, and that comes back, comes back to this node's share; at the store it stays counted, so the sum is kept.
 */
record Moments(long firstNanos, long lastNanos) {

    static boolean cover(@Nullable Moments moments, long nanos) {
        return moments != null && nanos - moments.firstNanos >= 0 && nanos - moments.lastNanos <= 0;
    }

    /** Returns those times, if any, and all up to that of one more request. */
    static Moments with(@Nullable Moments moments, long nanos) {
        if (moments == null) {
            return new Moments(nanos, nanos);
        }
        return nanos - moments.firstNanos < 0
                ? new Moments(nanos, moments.lastNanos)
                : new Moments(moments.firstNanos, nanos - moments.lastNanos < 0 ? moments.lastNanos : nanos);
    }
}
