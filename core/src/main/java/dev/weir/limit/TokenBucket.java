package dev.weir.limit;

import java.time.Duration;

/**
 * A bucket of tokens that is refilled continuously: whatever finds tokens in it may pass, so a saved-up burst passes at once.
 *
 * <p>Bound, which is tight: an interval of length t admits at most {@code capacity + refillTokens * t / refillPeriod} permits,
 * rounded down. (A bucket of one single token has no room for what flows in between a due instant and the whole nanosecond at
 * which it is seen. In order not to lose it, such a bucket may be early by less than one nanosecond after having been late by
 * as much; for it, t counts as one nanosecond longer.)
 *
 * <p>Tokens flow in exact fractions: the long-run rate is {@code refillTokens / refillPeriod}, whatever the two are, and the
 * waits of single permits lie on one exact grid, each rounded up to the whole nanosecond for itself. Only where
 * {@code capacity * refillPeriod / gcd(refillTokens, refillPeriod)} does not fit 61 bits is the rate lower than that, by a
 * fraction of less than {@code capacity / 2^60}. A bucket that fills within a nanosecond admits its capacity in each.
 *
 * <p>{@link #refillingInSteps} adds whole periods at once, as a timer would that began to run when the policy was made: at each
 * step {@code refillTokens}, or as many as the bucket holds if that is less. Bound, which is tight: an interval of length t
 * admits at most {@code capacity + min(refillTokens, capacity) * ceil(t / refillPeriod)}.
 *
 * <p>Debt, from permits that are charged though they are not there, is repaid by the refill. It grows to at most what takes
 * {@code 2^62 / r} nanoseconds to repay, where {@code r = refillTokens / gcd(refillTokens, refillPeriod)}; in steps, to what a
 * {@code long} counts. What is charged beyond is forgiven.
 *
 * <p>What is given back late, as when a request is settled, is what would not have overflowed had it never been taken: as much
 * as was missing in the bucket all the time since. To know that, a bucket that is refilled continuously remembers what is
 * taken once a request has been settled for less, until it is full again. What was taken before, or not long after, or where
 * the refill comes in steps, is worth no more than what has not flowed in since the whole request was taken.
 *
 * <p>The generic cell rate algorithm; see ITU-T I.371, annex A, and the ATM Forum Traffic Management Specification 4.0.
 *
 * @param capacity the most tokens that the bucket holds: the largest burst and the largest request; at least 1
 * @param refillTokens how many tokens flow in during each {@code refillPeriod}; at least 1
 * @param refillPeriod the time in which they do; positive, at most 2^61 - 1 nanoseconds
 * @param initialTokens how many tokens are there at first; between 0 and {@code capacity}
 * @param inSteps whether whole periods are refilled at once, rather than continuously
 */
public record TokenBucket(int capacity, int refillTokens, Duration refillPeriod, int initialTokens, boolean inSteps)
        implements Limit {

    /**
     * Checks the arguments.
     *
     * @param capacity the most tokens that the bucket holds
     * @param refillTokens how many tokens flow in during each {@code refillPeriod}
     * @param refillPeriod the time in which they do
     * @param initialTokens how many tokens are there at first
     * @param inSteps whether whole periods are refilled at once
     * @throws IllegalArgumentException if the capacity, the refill or its period is not positive, if there are fewer tokens at first
     *     than none or more than the bucket holds, or if the bucket would take longer than 2^61 - 1 nanoseconds to fill
     */
    public TokenBucket {
        Arguments.positive(capacity, "capacity");
        Arguments.positive(refillTokens, "refillTokens");
        Arguments.positive(refillPeriod, "refillPeriod");
        Arguments.fits(capacity, refillTokens, refillPeriod, "capacity * refillPeriod / refillTokens");
        Arguments.between(0, initialTokens, capacity, "initialTokens");
    }

    /**
     * A bucket that starts full and is refilled continuously.
     *
     * @param capacity the most tokens that the bucket holds
     * @param refillTokens how many tokens flow in during each {@code refillPeriod}
     * @param refillPeriod the time in which they do
     * @throws IllegalArgumentException if a number or the period is not positive, or if the bucket would take longer than
     *     2^61 - 1 nanoseconds to fill
     */
    public TokenBucket(int capacity, int refillTokens, Duration refillPeriod) {
        this(capacity, refillTokens, refillPeriod, capacity, false);
    }

    /**
     * Returns the same bucket, but with other than a full one to start with. It counts as idle only once it is full.
     *
     * @param tokens how many tokens are there at first; between 0 and the capacity
     * @return a new limit
     * @throws IllegalArgumentException if there are fewer than none or more than the bucket holds
     */
    public TokenBucket startingWith(int tokens) {
        return new TokenBucket(capacity, refillTokens, refillPeriod, tokens, inSteps);
    }

    /**
     * Returns the same bucket, but refilled with whole periods at once, as a timer would.
     *
     * @return a new limit
     */
    public TokenBucket refillingInSteps() {
        return new TokenBucket(capacity, refillTokens, refillPeriod, initialTokens, true);
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        int missing = capacity - initialTokens;
        return inSteps
                ? new WindowPolicy(Windows.of(this), missing, nowNanos)
                : new GcraPolicy(Pace.of(this), missing, nowNanos);
    }
}
