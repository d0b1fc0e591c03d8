package dev.weir.limit;

import java.time.Duration;

/**
 * A bucket that leaks evenly: permits pass one by one at equal distances, however many were not asked for before.
 *
 * <p>A request for n permits may pass when the one before has leaked away, and keeps the next one away for
 * {@code n * period / permits}. The distances are exact fractions: the long-run rate is {@code permits / period}, whatever the
 * two are, and the instants lie on one exact grid, each rounded up to the whole nanosecond for itself. With
 * {@link #withSlack slack}, as many late permits may be caught up: after idling long enough, {@code slack + 1} single permits
 * pass at once.
 *
 * <p>Bound, which is tight: the requests within an interval of length t, but for the last of them, have at most
 * {@code slack + permits * t / period} permits, rounded down; so single permits are at most one more than that, and all together
 * at most {@code permits} more. (Without slack there is no room for what leaks between a due instant and the whole
 * nanosecond at which it is seen. In order not to lose it, a request may be early by less than one nanosecond after another has
 * been late by as much; t then counts as one nanosecond longer.)
 *
 * <p>What is given back late, as when a request is settled, is worth what it is to a {@link TokenBucket} that is refilled
 * continuously, and debt is bounded as it is there.
 *
 * <p>As many permits count as available as could be taken one by one; fewer than none while what has been taken leaks away.
 *
 * <p>The leaky bucket as a meter, which is the generic cell rate algorithm; see ITU-T I.371, annex A.
 *
 * @param permits how many permits leak away in each {@code period}, and the largest request; at least 1
 * @param period the time in which they do; positive, at most 2^61 - 1 nanoseconds
 * @param slack how many late permits may be caught up; zero or more
 */
public record LeakyBucket(int permits, Duration period, int slack) implements Limit {

    /**
     * Checks the arguments.
     *
     * @param permits how many permits leak away in each {@code period}
     * @param period the time in which they do
     * @param slack how many late permits may be caught up
     * @throws IllegalArgumentException if {@code permits} or {@code period} is not positive, {@code slack} is negative, or what
     *     may be caught up takes longer than 2^61 - 1 nanoseconds to leak away
     */
    public LeakyBucket {
        Arguments.positive(permits, "permits");
        Arguments.positive(period, "period");
        Arguments.between(0, slack, Integer.MAX_VALUE, "slack");
        Arguments.fits(slack + 1L, permits, period, "(slack + 1) * period / permits");
    }

    /**
     * A bucket without slack.
     *
     * @param permits how many permits leak away in each {@code period}, and the largest request
     * @param period the time in which they do
     * @throws IllegalArgumentException if {@code permits} or {@code period} is not positive, or the period is too long
     */
    public LeakyBucket(int permits, Duration period) {
        this(permits, period, 0);
    }

    /**
     * Returns the same bucket, but with other slack.
     *
     * @param slack how many late permits may be caught up; zero or more
     * @return a new limit
     * @throws IllegalArgumentException if there are fewer than none, or it takes too long for as many to leak away
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
