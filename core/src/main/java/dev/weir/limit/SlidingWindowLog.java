package dev.weir.limit;

import java.time.Duration;

/**
 * The exact limit: at most {@code permits} in <em>any</em> interval of length {@code period}, wherever it begins.
 *
 * <p>Bound, which is tight: an interval of length t admits at most {@code permits * (floor(t / period) + 1)}; in particular,
 * {@code permits} in any half-open interval as long as the period. The price is eight bytes for every permit within
 * the period, grown only as used, be they taken one by one or in one request. A limit of hundreds of millions, if it is used up,
 * needs gigabytes: {@link SlidingWindow} needs some bytes for each of its segments, however large the limit is.
 *
 * <p>A limiter that is given another limit of this kind keeps to that over earlier grants, too. Under a longer period, grants whose
 * times it no longer remembers count again, each as if made at the latest time possible; what had come back by itself under the
 * shorter one, and may have been forgotten, is not given back any more by its lease. Permits that were charged and are not yet
 * repaid are charged to the new limit.
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
