package dev.weir.limit;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a {@link GcraPolicy}: one permit per {@code period / permits}, as an exact fraction.
 *
 * <p>Time is counted in units of which {@code unitsPerNano} make one nanosecond, chosen such that a permit costs a whole number
 * of them. If a burst would cost too many units, the units are coarser and the cost is rounded up: the rate is then too low by
 * less than one part in {@code cost}, and never too high.
 */
final class Pace {

    /** The maximum cost of a burst, and the most units a clock may run from the base of an era: the sum of both fits a long. */
    static final long MOST_UNITS = 1L << 61;

    /** How far debt may reach into the future. */
    static final long MOST_AHEAD = (1L << 62) - 1;

    private static final Derived<TokenBucket, Pace> OF_TOKEN_BUCKETS = new Derived<>(Pace::derivedFrom);
    private static final Derived<LeakyBucket, Pace> OF_LEAKY_BUCKETS = new Derived<>(Pace::derivedFrom);

    final long unitsPerNano;

    /** The cost of one permit, in units. */
    final long cost;

    /** The largest request. */
    final int capacity;

    /** The number of permits that may go at once, one by one. */
    final long burst;

    /** The cost of the burst, in units. */
    final long room;

    /** Whether requests are spaced, whatever their size, instead of having to find all their permits saved up. */
    final boolean spaced;

    /**
     * How many units in the past a theoretical arrival may lie and still count as present. A permit that comes due between two
     * nanoseconds is taken late by a fraction of one. With room for a second permit, what flows in meanwhile is kept; without, it
     * would be lost at every permit, and the rate would drift. (There is no grace for more than a permit per nanosecond: there is
     * no such clock.)
     */
    final long grace;

    /** How many nanoseconds the clock may run from the base of an era. */
    final long longestEra;

    /** The pace before a change; null if there was none or it no longer matters. */
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

    /** Returns this pace as the successor of another from a time on. */
    Pace after(Pace before, long nowNanos) {
        return with(Past.until(nowNanos, before));
    }

    /** Returns this pace without its predecessor if that no longer matters. */
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

    /** Returns how many units flowed in between two times, each stretch at the pace in force. */
    long flowed(long fromNanos, long nowNanos) {
        if (past == null || past.untilNanos - fromNanos <= 0) {
            return flow(nowNanos - fromNanos);
        }
        long before = converted(past.pace.flow(past.untilNanos - fromNanos), past.pace);
        return before + flow(nowNanos - past.untilNanos);
    }

    /** Returns the units that flow in within {@code nanos}, at most the largest debt; zero if negative. */
    private long flow(long nanos) {
        return nanos > longestEra ? MOST_AHEAD : Math.max(0, nanos) * unitsPerNano;
    }

    private boolean isFasterThan(Pace other) {
        return WindowRules.isBelow(other.unitsPerNano, cost, unitsPerNano, other.cost);
    }

    /** Returns how far the theoretical arrival may lie ahead of the clock for a request of that cost to pass. */
    long tolerance(long requestCost) {
        return room - (spaced ? cost : requestCost);
    }

    /** Returns the cost of {@code permits} permits, at most the largest debt. */
    long costOf(long permits) {
        return permits > MOST_AHEAD / cost ? MOST_AHEAD : permits * cost;
    }

    /** Returns the first whole nanosecond at or after a number of units, which must not be negative. */
    long nanosAt(long units) {
        return unitsPerNano == 1 ? units : units / unitsPerNano + (units % unitsPerNano == 0 ? 0 : 1);
    }

    /** The same after any number of further permits; saturates below {@link PermitPolicy#AWAIT_SIGNAL}. */
    long nanosAt(long units, long permits) {
        if (permits <= 0 || permits <= (Long.MAX_VALUE - Math.max(0, units)) / cost) {
            return nanosAt(units + permits * cost);
        }
        BigInteger all =
                BigInteger.valueOf(permits).multiply(BigInteger.valueOf(cost)).add(BigInteger.valueOf(units));
        BigInteger nanos = all.add(BigInteger.valueOf(unitsPerNano - 1)).divide(BigInteger.valueOf(unitsPerNano));
        return nanos.min(BigInteger.valueOf(PermitPolicy.AWAIT_SIGNAL - 1)).longValueExact();
    }

    /** Converts units of another pace into units worth the same number of permits; rounded up, at most the largest debt. */
    long converted(long units, Pace other) {
        BigInteger[] quotient = BigInteger.valueOf(units)
                .multiply(BigInteger.valueOf(cost))
                .divideAndRemainder(BigInteger.valueOf(other.cost));
        BigInteger up = quotient[0].add(BigInteger.valueOf(quotient[1].signum()));
        return up.min(BigInteger.valueOf(MOST_AHEAD)).longValueExact();
    }

    /**
     * The pace before a change: what was taken under it has returned with time at that pace, not at the present one. If several
     * changes follow each other so quickly that something taken before the first may still be given back, the fastest pace is
     * used for all: too little is given back rather than too much.
     *
     * @param largest the largest possible request of that time
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

        /** Returns whether less has returned with time, at the pace since then, than a request may have taken before. */
        boolean matters(Pace since, long nowNanos) {
            return since.flow(nowNanos - untilNanos) < since.costOf(largest);
        }
    }

    /** The price of a permit in nanoseconds. */
    private record Fraction(long dividend, long divisor) {

        /**
         * Returns the exact price if {@code most} permits at that price can be counted, else the closest from above with a
         * smaller divisor.
         */
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
