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
 * <p>Debt, from permits that are charged though they are not there, is repaid by the refill. It grows to at most 2^62
 * nanoseconds divided by {@code refillTokens}; what is charged beyond is forgiven.
 *
 * <p>The generic cell rate algorithm; see ITU-T I.371, annex A, and the ATM Forum Traffic Management Specification 4.0.
 *
 * @param capacity the most tokens that the bucket holds: the largest burst and the largest request; at least 1
 * @param refillTokens how many tokens flow in during each {@code refillPeriod}; at least 1
 * @param refillPeriod the time in which they do; positive, at most 2^61 - 1 nanoseconds
 */
public record TokenBucket(int capacity, int refillTokens, Duration refillPeriod) implements Limit {

    /**
     * Checks the arguments.
     *
     * @throws IllegalArgumentException if a number or the period is not positive, or if the bucket would take longer than
     *     2^61 - 1 nanoseconds to fill
     */
    public TokenBucket {
        Arguments.positive(capacity, "capacity");
        Arguments.positive(refillTokens, "refillTokens");
        Arguments.positive(refillPeriod, "refillPeriod");
        Arguments.fits(capacity, refillTokens, refillPeriod, "capacity * refillPeriod / refillTokens");
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new GcraPolicy(Pace.of(this), 0, nowNanos);
    }
}
