package dev.weir.limit;

import java.time.Duration;

/**
 * Leaky bucket: permits pass one by one at equal distances. Permits that were not used earlier are not saved up, except for
 * slack.
 *
 * <p>A request for n permits may pass once the previous request has leaked away, and then delays the next one by
 * {@code n * period / permits}. The distances are exact fractions: the long-run rate is {@code permits / period} for any values
 * of the two, up to one permit per nanosecond, and the instants lie on one exact grid, each rounded up to a whole nanosecond on
 * its own. Only if {@code m * period / gcd(permits, period)}, with {@code m = max(permits, slack + 1)}, does not fit 61 bits is
 * the rate lower than that, by a fraction of less than {@code m / 2^60}. With {@link #withSlack slack}, up to that many late
 * permits may be caught up: after idling long enough, {@code slack + 1} single permits pass at once.
 *
 * <p>Bound, which is tight: the requests within an interval of length t, not counting the last of them, have at most
 * {@code slack + permits * t / period} permits, rounded down. So if all requests are for single permits, an interval admits at
 * most one more than that, and in general at most {@code permits} more. (Without slack, what leaks between a due instant and the
 * whole nanosecond at which it is observed would be lost. To prevent this, a request may be early by less than one nanosecond
 * after another has been late by as much; t then counts as one nanosecond longer.)
 *
 * <p>Permits that are given back late, for example when a request is settled, are worth as much as in a {@link TokenBucket} that
 * is refilled continuously, and debt is bounded as it is there.
 *
 * <p>The number of available permits is the number that could be taken one by one; it is negative while what has been taken leaks
 * away.
 *
 * <p>The leaky bucket as a meter, which is the generic cell rate algorithm; see ITU-T I.371, annex A.
 *
 * @param permits how many permits leak away in each {@code period}, and the largest request; at least 1
 * @param period the time in which {@code permits} permits leak away; positive, at most 2^61 - 1 nanoseconds
 * @param slack the maximum number of late permits that may be caught up; zero or more
 */
public record LeakyBucket(int permits, Duration period, int slack) implements Limit {

    /**
     * Checks the arguments.
     *
     * @param permits how many permits leak away in each {@code period}
     * @param period the time in which {@code permits} permits leak away
     * @param slack the maximum number of late permits that may be caught up
     * @throws IllegalArgumentException if {@code permits} or {@code period} is not positive, {@code slack} is negative, or
     *     {@code period}, or what {@code slack + 1} permits take to leak away, is longer than 2^61 - 1 nanoseconds
     */
    public LeakyBucket {
        Arguments.positive(permits, "permits");
        Arguments.positive(period, "period");
        Arguments.fromZero(slack, Integer.MAX_VALUE, "slack");
        Arguments.fits(slack + 1L, permits, period, "(slack + 1) * period / permits");
    }

    /**
     * Creates a bucket without slack.
     *
     * @param permits how many permits leak away in each {@code period}, and the largest request
     * @param period the time in which {@code permits} permits leak away
     * @throws IllegalArgumentException if {@code permits} or {@code period} is not positive, or the period is too long
     */
    public LeakyBucket(int permits, Duration period) {
        this(permits, period, 0);
    }

    /**
     * Returns a copy of this bucket with a different slack.
     *
     * @param slack the maximum number of late permits that may be caught up; zero or more
     * @return a new limit
     * @throws IllegalArgumentException if {@code slack} is negative, or {@code slack + 1} permits take longer than 2^61 - 1
     *     nanoseconds to leak away
     */
    public LeakyBucket withSlack(int slack) {
        return new LeakyBucket(permits, period, slack);
    }

    @Override
    public int capacity() {
        return permits;
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new GcraPolicy(Pace.of(this), 0, nowNanos);
    }
}
