package dev.weir.redis;

import org.jspecify.annotations.Nullable;

/** The end of a limiter: from then on there are no more requests, and what has been done matters to others only for a while. */
final class Ending {

    /** When it was; null before. Benign race: of two that end at the same time, either is as good. */
    private volatile @Nullable Long atNanos;

    /** Takes note of the end. Another end after that changes nothing. */
    void begin(long nowNanos) {
        if (atNanos == null) {
            atNanos = nowNanos;
        }
    }

    boolean hasBegun() {
        return atNanos != null;
    }

    /** Returns whether it was longer ago than that. */
    boolean isPastBy(long nanos, long nowNanos) {
        Long at = atNanos;
        return at != null && nowNanos - at > nanos;
    }
}
