package dev.weir.limit;

import java.time.Duration;

/**
 * Token bucket, refilled continuously: a request passes if the bucket holds enough tokens, so a saved-up burst passes at once.
 *
 * <p>Bound, which is tight: an interval of length t admits at most {@code capacity + refillTokens * t / refillPeriod} permits,
 * rounded down. (A bucket with a capacity of one has no room for the fraction that flows in between a due instant and the whole
 * nanosecond at which it is observed. To avoid losing it, such a bucket may be early by less than one nanosecond after having
 * been late by as much; for it, t counts as one nanosecond longer.)
 *
 * <p>Tokens are added in exact fractions: the long-run rate is {@code refillTokens / refillPeriod} for any values of the two, and
 * the waits for single permits lie on one exact grid, each rounded up to a whole nanosecond on its own. Only if
 * {@code capacity * refillPeriod / gcd(refillTokens, refillPeriod)} does not fit 61 bits is the rate lower than that, by a
 * fraction of less than {@code capacity / 2^60}. A bucket that fills within a nanosecond admits its capacity in each nanosecond.
 *
 * <p>{@link #refillingInSteps} adds the tokens of whole periods at once, like a timer started when the policy was created: at
 * each step {@code refillTokens}, or the capacity if that is less. Bound, which is tight: an interval of length t admits at most
 * {@code capacity + min(refillTokens, capacity) * ceil(t / refillPeriod)}.
 *
 * <p>Debt, from permits that are charged although they are not available, is repaid by the refill. It is limited to what takes
 * {@code 2^62 / r} nanoseconds to repay, where {@code r = refillTokens / gcd(refillTokens, refillPeriod)}; if refilled in steps,
 * to the range of a {@code long}. Anything charged beyond that is forgiven.
 *
 * <p>Permits that are given back late, for example when a request is settled, are worth what would not have overflowed had they
 * never been taken: the number of tokens that were missing in the bucket all the time since. To know that, a bucket that is
 * refilled continuously remembers what is taken, from the first time a request is settled for less until the bucket is full
 * again. Permits that were taken before that, or not long after, or from a bucket that is refilled in steps, are worth no more
 * than what has not flowed in since the whole request was taken.
 *
 * <p>The generic cell rate algorithm; see ITU-T I.371, annex A, and the ATM Forum Traffic Management Specification 4.0.
 *
 * @param capacity the maximum number of tokens in the bucket: the largest burst and the largest request; at least 1
 * @param refillTokens how many tokens are added in each {@code refillPeriod}; at least 1
 * @param refillPeriod the time in which {@code refillTokens} are added; positive, at most 2^61 - 1 nanoseconds
 * @param initialTokens the initial number of tokens; between 0 and {@code capacity}
 * @param inSteps whether the tokens of whole periods are added at once, rather than continuously
 */
public record TokenBucket(int capacity, int refillTokens, Duration refillPeriod, int initialTokens, boolean inSteps)
        implements Limit {

    /**
     * Checks the arguments.
     *
     * @param capacity the maximum number of tokens in the bucket
     * @param refillTokens how many tokens are added in each {@code refillPeriod}
     * @param refillPeriod the time in which {@code refillTokens} are added
     * @param initialTokens the initial number of tokens
     * @param inSteps whether the tokens of whole periods are added at once
     * @throws IllegalArgumentException if {@code capacity}, {@code refillTokens} or {@code refillPeriod} is not positive, if
     *     {@code initialTokens} is negative or greater than {@code capacity}, or if {@code refillPeriod}, or the time in which
     *     the bucket fills, is longer than 2^61 - 1 nanoseconds
     */
    public TokenBucket {
        Arguments.positive(capacity, "capacity");
        Arguments.positive(refillTokens, "refillTokens");
        Arguments.positive(refillPeriod, "refillPeriod");
        Arguments.fits(capacity, refillTokens, refillPeriod, "capacity * refillPeriod / refillTokens");
        Arguments.fromZero(initialTokens, capacity, "initialTokens");
    }

    /**
     * Creates a bucket that starts full and is refilled continuously.
     *
     * @param capacity the maximum number of tokens in the bucket
     * @param refillTokens how many tokens are added in each {@code refillPeriod}
     * @param refillPeriod the time in which {@code refillTokens} are added
     * @throws IllegalArgumentException if an argument is not positive, or if {@code refillPeriod}, or the time in which the
     *     bucket fills, is longer than 2^61 - 1 nanoseconds
     */
    public TokenBucket(int capacity, int refillTokens, Duration refillPeriod) {
        this(capacity, refillTokens, refillPeriod, capacity, false);
    }

    /**
     * Returns a copy of this bucket with a different initial number of tokens. It counts as idle only once it is full.
     *
     * @param tokens the initial number of tokens; between 0 and the capacity
     * @return a new limit
     * @throws IllegalArgumentException if {@code tokens} is negative or greater than the capacity
     */
    public TokenBucket startingWith(int tokens) {
        return new TokenBucket(capacity, refillTokens, refillPeriod, tokens, inSteps);
    }

    /**
     * Returns a copy of this bucket that adds the tokens of whole periods at once, as a timer would.
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
                ? new WindowPolicy(WindowRules.of(this), missing, nowNanos)
                : new GcraPolicy(Pace.of(this), missing, nowNanos);
    }
}
