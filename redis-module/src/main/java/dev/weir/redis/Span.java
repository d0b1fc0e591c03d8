package dev.weir.redis;

import org.jspecify.annotations.Nullable;

/**
 * An outage that is over, or the time after one.
 *
 * @param sinceNanos when it began
 * @param earlier as of an outage; none for the time after one
 * @param untilNanos when it ended
 */
record Span(long sinceNanos, @Nullable Moments earlier, long untilNanos) {

    /** Creates the time after an outage. */
    static Span after(long endNanos, long lengthNanos) {
        return new Span(endNanos, null, endNanos + lengthNanos);
    }

    boolean covers(long nanos) {
        return nanos - untilNanos < 0 && (nanos - sinceNanos >= 0 || Moments.cover(earlier, nanos));
    }
}
