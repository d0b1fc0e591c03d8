package dev.weir.redis;

import dev.weir.limit.AllOf;
import dev.weir.limit.Concurrency;
import dev.weir.limit.CountingCalls;
import dev.weir.limit.FixedWindow;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindow;
import dev.weir.limit.SlidingWindowCounter;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;
import java.math.BigInteger;
import java.time.Duration;

/** Traits of limits that matter here: how long they take to refill, what is there then, and whether permits return. */
final class LimitTraits {

    private LimitTraits() {}

    /**
     * Returns the period of a single limit in nanoseconds; of a bucket, in how long all that can be taken at once comes back. Zero if permits
     * do not return with time.
     */
    static long periodNanos(Limit limit) {
        if (limit instanceof SlidingWindowLog window) {
            return window.period().toNanos();
        }
        if (limit instanceof SlidingWindow window) {
            return window.window().toNanos();
        }
        if (limit instanceof SlidingWindowCounter window) {
            return window.window().toNanos();
        }
        if (limit instanceof FixedWindow window) {
            return window.window().toNanos();
        }
        if (limit instanceof LeakyBucket bucket) {
            return nanos(bucket.period(), most(bucket), bucket.permits());
        }
        if (limit instanceof TokenBucket bucket) {
            return nanos(bucket.refillPeriod(), bucket.capacity(), bucket.refillTokens());
        }
        return 0;
    }

    /** Returns how many permits can be taken without waiting in between: of a leaky bucket its slack, and the largest request. */
    static long most(Limit limit) {
        return limit instanceof LeakyBucket bucket ? (long) bucket.slack() + bucket.permits() : limit.capacity();
    }

    /** Returns how many permits its policy has available when it is full: of a bucket that spaces them, those that go one by one. */
    static long whenFull(Limit limit) {
        if (limit instanceof LeakyBucket bucket) {
            return bucket.slack() + 1L;
        }
        if (limit instanceof CountingCalls calls) {
            return whenFull(calls.limit());
        }
        if (limit instanceof AllOf several) {
            return several.limits().stream()
                    .mapToLong(part -> part instanceof CountingCalls ? part.capacity() : whenFull(part))
                    .min()
                    .orElseThrow();
        }
        return limit.capacity();
    }

    /** Returns whether permits of a limit, or of a part of it, return when leases are closed. */
    static boolean returnsOnRelease(Limit limit) {
        return LimitPart.of(limit).stream().anyMatch(part -> part.limit() instanceof Concurrency);
    }

    private static long nanos(Duration period, long permits, int perPeriod) {
        long nanos = period.toNanos();
        if (nanos <= Long.MAX_VALUE / permits) {
            return nanos * permits / perPeriod;
        }
        return BigInteger.valueOf(nanos)
                .multiply(BigInteger.valueOf(permits))
                .divide(BigInteger.valueOf(perPeriod))
                .longValueExact();
    }
}
