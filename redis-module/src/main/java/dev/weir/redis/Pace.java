package dev.weir.redis;

import dev.weir.limit.Limit;
import java.math.BigInteger;

/**
 * The cost of a permit of a bucket, as a fraction of microseconds in numbers that a script can compute with: integers below 2^53.
 *
 * @param unitsPerMicro how many units make a microsecond
 * @param cost of one permit, in units; rounded up if the numbers of the exact fraction are too large
 */
record Pace(long unitsPerMicro, long cost) {

    private static final long MOST_UNITS = 1L << 51;

    /**
     * Returns the pace of a limit that brings a number of permits in a period, of which at most a burst has to be counted at once.
     *
     * @throws IllegalArgumentException if a burst takes too long to come back
     */
    static Pace of(Limit limit, long periodMicros, long permits, long burst) {
        BigInteger period = BigInteger.valueOf(periodMicros);
        BigInteger perPeriod = BigInteger.valueOf(permits);
        BigInteger divisor = period.gcd(perPeriod);
        BigInteger cost = period.divide(divisor);
        BigInteger units = perPeriod.divide(divisor);
        BigInteger most = BigInteger.valueOf(MOST_UNITS / burst);
        if (cost.compareTo(most) > 0) {
            BigInteger coarser = units.multiply(most).divide(cost).max(BigInteger.ONE);
            cost = cost.multiply(coarser).add(units).subtract(BigInteger.ONE).divide(units);
            units = coarser;
        }
        if (cost.compareTo(most.add(BigInteger.ONE)) > 0) {
            throw new IllegalArgumentException(
                    "limit must bring a burst of permits back within 2^51 microseconds (71 years), but is " + limit);
        }
        return new Pace(units.longValueExact(), cost.longValueExact());
    }

    Member member(boolean calls, int capacity, long burst, boolean spaced, long missing) {
        long grace = burst == 1 && cost >= unitsPerMicro ? unitsPerMicro - 1 : 0;
        return new Member(
                Member.Kind.BUCKET, calls, capacity, unitsPerMicro, cost, burst * cost, spaced ? 1 : 0, grace, missing);
    }
}
