package dev.weir.limit;

import java.time.Duration;

/**
 * Estimates a sliding window from two counts: that of the current window, and that of the previous window in proportion to the
 * part of it that the sliding window still covers. Widely deployed HTTP limiters do this.
 *
 * <p>A request passes if {@code current + floor(previous * remaining / window)}, including the request, is at most
 * {@code permits}. The first window begins when the policy is created, and windows follow one another without gaps. The estimate
 * is rounded down to keep the long-run rate at the limit; rounded up, one permit would be lost in every window. Only windows of
 * no more nanoseconds than permits fall short of it, by up to a half.
 *
 * <p>Bound, which is tight: an interval of length t admits at most {@code permits + ceil(permits * t / window)}. That is close to
 * twice the limit in an interval of length {@code window}: all permits at the end of one window, and as many spread over the
 * next, because the estimate assumes that the former were spread evenly.
 *
 * <p>Permits that are charged although they are not available count in the windows that follow, {@code permits} in each, and so
 * do those that were granted under a larger limit.
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
        return new WindowPolicy(WindowRules.of(this), 0, nowNanos);
    }
}
