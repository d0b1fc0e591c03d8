package dev.weir.redis;

import java.util.List;

/**
 * An outage that is over, or the time after one.
 *
 * @param sinceNanos when it began
 * @param earlier as of an outage; none for the time after one
 * @param untilNanos when it ended
 */
record Span(long sinceNanos, List<Long> earlier, long untilNanos) {

    /** Creates the time after an outage. */
    static Span after(long endNanos, long lengthNanos) {
        return new Span(endNanos, List.of(), endNanos + lengthNanos);
    }

    boolean covers(long nanos) {
        return nanos - untilNanos < 0 && (nanos - sinceNanos >= 0 || earlier.contains(nanos));
    }
}
