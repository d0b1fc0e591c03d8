package dev.weir.limit;

import java.time.Duration;

/**
 * The window in segments: at most {@code permits} in any interval of length {@code window}, remembered by segments.
 *
 * <p>Permits that are taken within one segment, {@code window / segments} long from the first of them, are remembered together
 * and count until the last of them is a window old. So the limit is never exceeded, whatever the segments; the price is that a
 * permit may have to wait for up to {@code window / segments} longer than with the {@linkplain SlidingWindowLog exact window}.
 * While somebody always waits in the queue it need not: what comes back together is taken together, and the long-run rate is
 * the limit itself. Those who are refused and try again get a little less, as what they take does not come back together.
 *
 * <p>Bound, which is tight: an interval of length t admits at most {@code permits * (floor(t / window) + 1)}; in particular,
 * {@code permits} in any half-open interval as long as the window. Needs 16 bytes for each segment in which something was
 * taken within the window, and one more. A charge that finds too little left adds an entry of its own, of which there may be as many
 * as permits.
 *
 * <p>Permits given back return at once, but those taken in the same segment count from the latest of them all the same, also where
 * that one is undone, as a {@link dev.weir.RateLimiter#chain} does that another member refuses. Permits that are charged though they
 * are not there take the next places that the limit allows.
 *
 * <p>A limiter that is given another limit of this kind keeps to that over earlier grants, too. In a longer window nothing passes
 * until all that was forgotten is older than that; what was forgotten is not given back any more by its lease. Permits that were
 * charged and are not yet repaid are charged to the new limit.
 *
 * @param permits the most that any interval of length {@code window} admits; at least 1
 * @param window the length of the interval; positive, at most 2^61 - 1 nanoseconds
 * @param segments into how many parts the window is divided; at least 1
 */
public record SlidingWindow(int permits, Duration window, int segments) implements Limit {

    /**
     * Checks the arguments.
     *
     * @param permits the most that any interval of length {@code window} admits
     * @param window the length of the interval
     * @param segments into how many parts the window is divided
     * @throws IllegalArgumentException if a number or the window is not positive, or the window is too long
     */
    public SlidingWindow {
        Arguments.positive(permits, "permits");
        Arguments.positive(window, "window");
        Arguments.positive(segments, "segments");
    }

    @Override
    public int capacity() {
        return permits;
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new SlidingWindowPolicy(this, nowNanos);
    }
}
