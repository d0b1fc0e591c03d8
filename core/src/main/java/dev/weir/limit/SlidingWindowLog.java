package dev.weir.limit;

import java.time.Duration;

/**
 * The exact limit: at most {@code permits} in <em>any</em> interval of length {@code period}, wherever it begins.
 *
 * <p>Bound, which is tight: an interval of length t admits at most {@code permits * (floor(t / period) + 1)}; in particular,
 * {@code permits} in any half-open interval of length {@code period}. The price is eight bytes for every permit taken within the
 * period, whether taken one by one or in one request; memory grows only as used. A fully used limit of hundreds of millions needs
 * gigabytes: {@link SlidingWindow} needs only some bytes for each of its segments, however large the limit is.
 *
 * <p>A limiter that is reconfigured to another limit of this kind applies the new limit to earlier grants, too. If the period
 * becomes longer, grants whose times are no longer remembered count again, each as if made at the latest time possible. A lease
 * no longer gives back permits that had already returned by time under the shorter period and may have been forgotten. Permits
 * that were charged and are not yet repaid are charged to the new limit.
 *
 * <p>Keeps the time of each of the last {@code permits} grants: the sliding-window log of the literature on rate limiting.
 *
 * @param permits the most that any interval of length {@code period} admits; at least 1
 * @param period the length of the interval; positive, at most 2^61 - 1 nanoseconds
 */
public record SlidingWindowLog(int permits, Duration period) implements Limit {

    /**
     * Checks the arguments.
     *
     * @param permits the most that any interval of length {@code period} admits
     * @param period the length of the interval
     * @throws IllegalArgumentException if {@code permits} or {@code period} is not positive, or the period is too long
     */
    public SlidingWindowLog {
        Arguments.positive(permits, "permits");
        Arguments.positive(period, "period");
    }

    @Override
    public int capacity() {
        return permits;
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new SlidingWindowLogPolicy(permits, period.toNanos(), nowNanos);
    }
}
