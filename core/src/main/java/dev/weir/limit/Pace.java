package dev.weir.limit;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The numbers by which a {@link GcraPolicy} runs: one permit per {@code period / permits}, as an exact fraction.
 *
 * <p>Time is counted in units of which {@code unitsPerNano} make one nanosecond, chosen such that a permit costs a whole
 * number of them. Where a burst would cost too many to count with, the units are coarser and the cost is rounded up: the rate
 * is then too low by less than one part in {@code cost}, and never too high.
 */
final class Pace {

    /** What a burst may cost, and how many units a clock may run from the base of an era: both together fit a long. */
    static final long MOST_UNITS = 1L << 61;

    /** How far debt may reach into the future. */
    static final long MOST_AHEAD = (1L << 62) - 1;

    private static final Derived<TokenBucket, Pace> OF_TOKEN_BUCKETS = new Derived<>(Pace::derivedFrom);
    private static final Derived<LeakyBucket, Pace> OF_LEAKY_BUCKETS = new Derived<>(Pace::derivedFrom);

    final long unitsPerNano;

    /** Of one permit. */
    final long cost;

    /** The largest request. */
    final int capacity;

    /** How many permits may go at once, one by one. */
    final long burst;

    /** What they cost. */
    final long room;

    /** Whether requests keep a distance, whatever their size, rather than have to find all their permits saved up. */
    final boolean spaced;

    /**
     * How many units ago a theoretical arrival may have been to count as present. A permit that comes due between two
     * nanoseconds is taken late by a fraction of one. Room for a second permit keeps what flows in meanwhile; where there is
     * none it would be lost at every permit, and the rate would drift. (None either for more than a permit per nanosecond:
     * there is no such clock.)
     */
    final long grace;

    /** How many nanoseconds the clock may run from the base of an era. */
    final long longestEra;

    /** What was in force before a change. */
    private final @Nullable Past past;

    private Pace(long unitsPerNano, long cost, int capacity, long burst, boolean spaced, @Nullable Past past) {
        this.unitsPerNano = unitsPerNano;
        this.cost = cost;
        this.capacity = capacity;
        this.burst = burst;
        this.room = burst * cost;
        this.spaced = spaced;
        this.grace = burst == 1 && cost >= unitsPerNano ? unitsPerNano - 1 : 0;
        this.longestEra = MOST_UNITS / unitsPerNano;
        this.past = past;
    }

    static Pace of(TokenBucket bucket) {
        return OF_TOKEN_BUCKETS.from(bucket);
    }

    static Pace of(LeakyBucket bucket) {
        return OF_LEAKY_BUCKETS.from(bucket);
    }

    private static Pace derivedFrom(TokenBucket bucket) {
        int capacity = bucket.capacity();
        Fraction price = Fraction.of(bucket.refillPeriod().toNanos(), bucket.refillTokens(), capacity);
        return new Pace(price.divisor(), price.dividend(), capacity, capacity, false, null);
    }

    private static Pace derivedFrom(LeakyBucket bucket) {
        int permits = bucket.permits();
        long burst = bucket.slack() + 1L;
        Fraction price = Fraction.of(bucket.period().toNanos(), permits, Math.max(permits, burst));
        return new Pace(price.divisor(), price.dividend(), permits, burst, true, null);
    }

    /** The same pace from that time on, given the one that it follows. */
    Pace after(Pace before, long nowNanos) {
        return with(Past.until(nowNanos, before));
    }

    /** The same pace without what no longer matters of the one that it followed. */
    Pace asOf(long nowNanos) {
        return past != null && !past.matters(this, nowNanos) ? with(null) : this;
    }

    private Pace with(@Nullable Past past) {
        return new Pace(unitsPerNano, cost, capacity, burst, spaced, past);
    }

    boolean isLike(Pace other) {
        return unitsPerNano == other.unitsPerNano
                && cost == other.cost
                && capacity == other.capacity
                && burst == other.burst;
    }

    /** How much flowed in between those times, each stretch at the pace that it had. */
    long flowed(long fromNanos, long nowNanos) {
        if (past == null || past.untilNanos - fromNanos <= 0) {
            return flow(nowNanos - fromNanos);
        }
        long before = converted(past.pace.flow(past.untilNanos - fromNanos), past.pace);
        return before + flow(nowNanos - past.untilNanos);
    }

    /** What flows in within so many nanoseconds, or as much as debt may ever grow to; none if they are negative. */
    private long flow(long nanos) {
        return nanos > longestEra ? MOST_AHEAD : Math.max(0, nanos) * unitsPerNano;
    }

    private boolean isFasterThan(Pace other) {
        return Windows.isBelow(other.unitsPerNano, cost, unitsPerNano, other.cost);
    }

    /** How far ahead of the clock the theoretical arrival may be for a request of that cost to pass. */
    long tolerance(long requestCost) {
        return room - (spaced ? cost : requestCost);
    }

    /** What so many permits cost, or as much as debt may ever grow to. */
    long costOf(long permits) {
        return permits > MOST_AHEAD / cost ? MOST_AHEAD : permits * cost;
    }

    /** The first whole nanosecond at or after so many units; not for negative ones. */
    long nanosAt(long units) {
        return unitsPerNano == 1 ? units : units / unitsPerNano + (units % unitsPerNano == 0 ? 0 : 1);
    }

    /** The same after further permits, of which there may be any number; saturates below {@link PermitPolicy#AWAIT_SIGNAL}. */
    long nanosAt(long units, long permits) {
        if (permits <= 0 || permits <= (Long.MAX_VALUE - Math.max(0, units)) / cost) {
            return nanosAt(units + permits * cost);
        }
        BigInteger all =
                BigInteger.valueOf(permits).multiply(BigInteger.valueOf(cost)).add(BigInteger.valueOf(units));
        BigInteger nanos = all.add(BigInteger.valueOf(unitsPerNano - 1)).divide(BigInteger.valueOf(unitsPerNano));
        return nanos.min(BigInteger.valueOf(PermitPolicy.AWAIT_SIGNAL - 1)).longValueExact();
    }

    /** What so many units of another pace amount to in this one, counted in permits; rounded up, within what debt may be. */
    long converted(long units, Pace other) {
        BigInteger[] quotient = BigInteger.valueOf(units)
                .multiply(BigInteger.valueOf(cost))
                .divideAndRemainder(BigInteger.valueOf(other.cost));
        BigInteger up = quotient[0].add(BigInteger.valueOf(quotient[1].signum()));
        return up.min(BigInteger.valueOf(MOST_AHEAD)).longValueExact();
    }

    /**
     * The pace before a change: by that, not by the present one, did time return what was taken under it. Of several changes
     * in so short a time that something taken before the first may still be given back, the fastest pace counts for all:
     * rather too little is given back than too much.
     *
     * @param largest the largest request of that time
     */
    private record Past(Pace pace, int largest, long untilNanos) {

        static Past until(long nowNanos, Pace pace) {
            Pace alone = pace.with(null);
            Past earlier = pace.past;
            if (earlier == null || !earlier.matters(pace, nowNanos)) {
                return new Past(alone, pace.capacity, nowNanos);
            }
            Pace faster = pace.isFasterThan(earlier.pace) ? alone : earlier.pace;
            return new Past(faster, Math.max(pace.capacity, earlier.largest), nowNanos);
        }

        /** Whether time, at the pace since then, has not returned all that a request may have taken before. */
        boolean matters(Pace since, long nowNanos) {
            return since.flow(nowNanos - untilNanos) < since.costOf(largest);
        }
    }

    /** The price of a permit in nanoseconds. */
    private record Fraction(long dividend, long divisor) {

        /** Exact if so many permits can be counted with, else the closest from above with a smaller divisor. */
        static Fraction of(long periodNanos, int permits, long most) {
            BigInteger period = BigInteger.valueOf(periodNanos);
            BigInteger divisor = BigInteger.valueOf(permits);
            BigInteger gcd = period.gcd(divisor);
            BigInteger limit = BigInteger.valueOf(MOST_UNITS);
            BigInteger all = period.divide(gcd).multiply(BigInteger.valueOf(most));
            if (all.compareTo(limit) <= 0) {
                return new Fraction(
                        period.divide(gcd).longValueExact(), divisor.divide(gcd).longValueExact());
            }
            BigInteger spare = limit.subtract(BigInteger.valueOf(most));
            BigInteger coarser = divisor.divide(gcd).multiply(spare).divide(all).max(BigInteger.ONE);
            BigInteger rounded = period.multiply(coarser)
                    .add(divisor.subtract(BigInteger.ONE))
                    .divide(divisor);
            return new Fraction(rounded.longValueExact(), coarser.longValueExact());
        }
    }
}
