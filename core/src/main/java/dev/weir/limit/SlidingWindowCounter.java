package dev.weir.limit;

import java.time.Duration;

/**
 * Estimates a sliding window from two counts: those of the present window and, in proportion to its part that the sliding
 * window still covers, that of the previous one. What widely deployed HTTP limiters do.
 *
 * <p>Passes while {@code current + floor(previous * remaining / window)}, the request included, is at most {@code permits}.
 * Windows follow each other from when the policy is made. Rounding the estimate down is what keeps the long-run rate at the
 * limit; rounded up, one permit would be lost in every window.
 *
 * <p>Bound, which is tight: an interval of length t admits at most {@code permits + ceil(permits * t / window)}, so close to
 * twice the limit in an interval as long as the window: all permits at the end of a window, and as many spread over the next,
 * where the estimate takes the former for spread, too.
 *
 * <p>Permits that are charged though they are not there count in the windows that follow, {@code permits} in each.
 *
 * <p>Described by J. Desgats, How we built rate limiting capable of scaling to millions of domains (Cloudflare, 2017).
 *
 * @param permits the limit; at least 1
 * @param window the length of a window; positive, at most 2^61 - 1 nanoseconds
 */
public record SlidingWindowCounter(int permits, Duration window) implements Limit {

    /**
     * Checks the arguments.
     *
     * @param permits the limit
     * @param window the length of a window
     * @throws IllegalArgumentException if {@code permits} or {@code window} is not positive, or the window is too long
     */
    public SlidingWindowCounter {
        Arguments.positive(permits, "permits");
        Arguments.positive(window, "window");
    }

    @Override
    public int capacity() {
        return permits;
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new WindowPolicy(Windows.of(this), 0, nowNanos);
    }
}
