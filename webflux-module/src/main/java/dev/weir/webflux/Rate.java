package dev.weir.webflux;

import dev.weir.limit.FixedWindow;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindow;
import dev.weir.limit.SlidingWindowCounter;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Optional;

/**
 * A number of permits per time: the part that limits of most kinds have in common and that can be adjusted.
 *
 * @param permits at least 1
 * @param nanos at least 1
 */
record Rate(int permits, long nanos) {

    /** The longest period that a limit may have; longer ones are cut to this. */
    private static final long LONGEST_NANOS = (1L << 61) - 1;

    private static final BigInteger HUNDRED = BigInteger.valueOf(100);

    /** Returns the rate of a policy that has a window. */
    static Rate of(QuotaPolicy policy) {
        BigInteger window =
                product(policy.windowSeconds(), Duration.ofSeconds(1).toNanos());
        return new Rate(policy.quota(), bounded(window, LONGEST_NANOS));
    }

    /** Returns the rate of a limit; empty if its kind does not have exactly one. */
    static Optional<Rate> of(Limit limit) {
        if (limit instanceof SlidingWindowLog exact) {
            return Optional.of(new Rate(exact.permits(), exact.period().toNanos()));
        }
        if (limit instanceof SlidingWindow segmented) {
            return Optional.of(new Rate(segmented.permits(), segmented.window().toNanos()));
        }
        if (limit instanceof SlidingWindowCounter estimated) {
            return Optional.of(new Rate(estimated.permits(), estimated.window().toNanos()));
        }
        if (limit instanceof FixedWindow fixed) {
            return Optional.of(new Rate(fixed.permits(), fixed.window().toNanos()));
        }
        if (limit instanceof LeakyBucket leaky) {
            return Optional.of(new Rate(leaky.permits(), leaky.period().toNanos()));
        }
        return limit instanceof TokenBucket bucket
                ? Optional.of(
                        new Rate(bucket.refillTokens(), bucket.refillPeriod().toNanos()))
                : Optional.empty();
    }

    /** Tells whether permits of a limit become available one by one, rather than all of a period at once. */
    static boolean isSteady(Limit limit) {
        return limit instanceof LeakyBucket || (limit instanceof TokenBucket bucket && !bucket.inSteps());
    }

    /** Returns how many permits a limit that has a rate grants at once after a quiet time. */
    static long burstOf(Limit limit) {
        return limit instanceof LeakyBucket leaky ? leaky.slack() + 1L : limit.capacity();
    }

    /** Returns a limit of the same kind at this rate, for kinds that have a rate; a bucket with at most the given burst, from 1. */
    Limit applyTo(Limit limit, long burst) {
        Duration time = Duration.ofNanos(nanos);
        if (limit instanceof SlidingWindow segmented) {
            return new SlidingWindow(permits, time, segmented.segments());
        }
        if (limit instanceof SlidingWindowCounter) {
            return new SlidingWindowCounter(permits, time);
        }
        if (limit instanceof FixedWindow fixed) {
            return new FixedWindow(permits, time, fixed.onMultiples());
        }
        if (limit instanceof LeakyBucket leaky) {
            return new LeakyBucket(permits, time, (int) Math.min(leaky.slack(), burst - 1));
        }
        if (limit instanceof TokenBucket bucket) {
            int capacity = (int) Math.min(bucket.capacity(), burst);
            int initial = Math.min(bucket.initialTokens(), capacity);
            return new TokenBucket(capacity, permits, time, initial, bucket.inSteps());
        }
        return new SlidingWindowLog(permits, time);
    }

    /** Returns the time in which {@code others} permits become available, rounded up. */
    Duration timeFor(int others) {
        BigInteger time =
                product(nanos, others).add(BigInteger.valueOf(permits - 1L)).divide(BigInteger.valueOf(permits));
        return Duration.ofNanos(bounded(time, Long.MAX_VALUE));
    }

    /** Returns the same permits in a longer time. */
    Rate inATenthMoreTime() {
        return new Rate(permits, nanos + nanos / 10);
    }

    /** Returns the rate that is left in each window of this quota beside a burst, of which one permit is that of the rate. */
    Rate beside(long burst) {
        return new Rate((int) (permits - burst + 1), nanos);
    }

    /** Returns this rate as whole permits in about the given time, or in its own time if that is shorter. */
    Rate noLongerThan(long otherNanos) {
        int fewer = permitsIn(Math.min(nanos, otherNanos));
        return new Rate(fewer, timeFor(fewer).toNanos());
    }

    boolean isFasterThan(Rate other) {
        return product(permits, other.nanos).compareTo(product(other.permits, nanos)) > 0;
    }

    Rate slowerOf(Rate other) {
        return isFasterThan(other) ? other : this;
    }

    Rate fasterOf(Rate other) {
        return isFasterThan(other) ? this : other;
    }

    /** Returns a percentage of this rate, rounded down: with fewer permits if that is nearly as much, otherwise in a longer time. */
    Rate percent(int percent) {
        BigInteger hundredths = product(permits, percent);
        int fewer = bounded(hundredths.divide(HUNDRED));
        if (isNearly(product(fewer, 100), hundredths)) {
            return new Rate(fewer, nanos);
        }
        BigInteger longer = product(fewer + 1L, 100).multiply(BigInteger.valueOf(nanos));
        BigInteger roundedUp = longer.add(hundredths).subtract(BigInteger.ONE).divide(hundredths);
        return new Rate(fewer + 1, bounded(roundedUp, LONGEST_NANOS));
    }

    /** Returns a percentage of this rate, rounded up: in a time that is no shorter, rounded down. */
    Rate percentOrMore(int percent) {
        BigInteger hundredths = product(permits, percent);
        BigInteger more = hundredths.add(HUNDRED).subtract(BigInteger.ONE).divide(HUNDRED);
        BigInteger longer = more.multiply(HUNDRED).multiply(BigInteger.valueOf(nanos));
        return new Rate(bounded(more), bounded(longer.divide(hundredths), LONGEST_NANOS));
    }

    /** Returns how many permits become available in a time, rounded up. */
    int permitsIn(long otherNanos) {
        BigInteger time = BigInteger.valueOf(nanos);
        return bounded(
                product(permits, otherNanos).add(time).subtract(BigInteger.ONE).divide(time));
    }

    /** Returns how many permits a window at this rate admits within a time at most. */
    long mostIn(long otherNanos) {
        return bounded(product(permits, (otherNanos - 1) / nanos + 1), Long.MAX_VALUE);
    }

    /** Returns the length of one of several equal parts of the time, rounded up. */
    long nanosOfOneIn(int parts) {
        return nanos / parts + (nanos % parts == 0 ? 0 : 1);
    }

    /** Tells whether this is less than a percentage of another rate. */
    boolean isLessThan(int percent, Rate other) {
        BigInteger hundredths = product(permits, other.nanos).multiply(HUNDRED);
        return hundredths.compareTo(product(other.permits, nanos).multiply(BigInteger.valueOf(percent))) < 0;
    }

    private static boolean isNearly(BigInteger number, BigInteger other) {
        return number.multiply(BigInteger.TEN).compareTo(other.multiply(BigInteger.valueOf(9))) >= 0;
    }

    private static int bounded(BigInteger number) {
        return (int) bounded(number, Integer.MAX_VALUE);
    }

    private static long bounded(BigInteger number, long most) {
        return number.min(BigInteger.valueOf(most)).longValueExact();
    }

    private static BigInteger product(long one, long other) {
        return BigInteger.valueOf(one).multiply(BigInteger.valueOf(other));
    }
}
