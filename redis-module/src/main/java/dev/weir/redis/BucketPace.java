package dev.weir.redis;

import dev.weir.limit.Limit;
import java.math.BigInteger;
import java.time.Duration;

/**
 * The cost of a permit of a bucket, as a fraction of microseconds in numbers that a script can compute with: integers below 2^53.
 * Unlike the periods of other limits, that of a bucket is not rounded to whole microseconds first: it may be shorter than one.
 *
 * @param unitsPerMicro how many units make a microsecond
 * @param cost of one permit, in units; rounded up if the numbers of the exact fraction are too large
 */
record BucketPace(long unitsPerMicro, long cost) {

    private static final long MOST_UNITS = 1L << 51;

    /** Units need not be finer: the finer they are, the sooner bookings and debts are too far ahead to be counted. */
    private static final long FINE_UNITS = 1L << 20;

    /** Nor may a burst have more units, so that debt of a hundred bursts can be counted; of more than 2^25 permits, of fewer. */
    private static final long FINE_BURST = 1L << 45;

    /**
     * If a period has more permits than these units, there are as many units as permits, lest what is rounded adds up to more than a
     * microsecond. But no more are needed than make a permit cost this much: then the pace is two millionths slower at most.
     */
    private static final long FINE_COST = 1L << 20;

    private static final BigInteger NANOS_PER_MICRO = BigInteger.valueOf(1000);

    /**
     * Returns the pace of a limit that brings a number of permits in a period, of which at most a burst has to be counted at once.
     *
     * @throws IllegalArgumentException if a burst takes too long to come back
     */
    static BucketPace of(Limit limit, Duration period, int permits, long burst) {
        BigInteger nanos = BigInteger.valueOf(period.toNanos());
        BigInteger perPeriod = BigInteger.valueOf(permits).multiply(NANOS_PER_MICRO);
        BigInteger divisor = nanos.gcd(perPeriod);
        BigInteger cost = nanos.divide(divisor);
        BigInteger units = perPeriod.divide(divisor);
        BigInteger most = BigInteger.valueOf(MOST_UNITS / burst);
        BigInteger fine = units.multiply(BigInteger.valueOf(FINE_BURST / burst)).divide(cost);
        BigInteger asPermits =
                units.multiply(BigInteger.valueOf(FINE_COST)).divide(cost).min(BigInteger.valueOf(permits));
        BigInteger finest = units.min(fine.min(BigInteger.valueOf(FINE_UNITS)).max(asPermits));
        BigInteger coarser = finest.min(units.multiply(most).divide(cost)).max(BigInteger.ONE);
        if (coarser.compareTo(units) < 0) {
            cost = cost.multiply(coarser).add(units).subtract(BigInteger.ONE).divide(units);
            units = coarser;
        }
        if (cost.compareTo(most.add(BigInteger.ONE)) > 0) {
            throw new IllegalArgumentException(
                    "limit must bring a burst of permits back within 2^51 microseconds (71 years), but is " + limit);
        }
        return new BucketPace(units.longValueExact(), cost.longValueExact());
    }

    Member member(LimitPart part, int capacity, long burst, boolean spaced, long missing) {
        long grace = burst == 1 && cost >= unitsPerMicro ? unitsPerMicro - 1 : 0;
        return new Member(
                part, Member.Kind.BUCKET, capacity, unitsPerMicro, cost, burst * cost, spaced ? 1 : 0, grace, missing);
    }
}
