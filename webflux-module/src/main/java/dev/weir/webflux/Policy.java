package dev.weir.webflux;

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
import dev.weir.limit.Unlimited;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;

/**
 * A limit as header fields can tell it: a quota in a window of whole seconds, rounded up, so that it never overstates the rate.
 *
 * @param quota the permits
 * @param windowSeconds the window; zero where there is none
 * @param isConcurrent whether the quota is of requests under way at the same time
 */
record Policy(int quota, long windowSeconds, boolean isConcurrent) {

    /** Returns what there is to tell of a limit: one policy, or several where it consists of several, or none. */
    static List<Policy> of(Limit limit) {
        if (limit instanceof AllOf several) {
            return several.limits().stream().flatMap(each -> of(each).stream()).toList();
        }
        if (limit instanceof CountingCalls calls) {
            return of(calls.limit());
        }
        if (limit instanceof Unlimited) {
            return List.of();
        }
        boolean isConcurrent = limit instanceof Concurrency;
        return List.of(new Policy(limit.capacity(), windowSeconds(limit), isConcurrent));
    }

    private static long windowSeconds(Limit limit) {
        if (limit instanceof SlidingWindowLog exact) {
            return secondsUp(exact.period());
        }
        if (limit instanceof SlidingWindow segmented) {
            return secondsUp(segmented.window());
        }
        if (limit instanceof SlidingWindowCounter estimated) {
            return secondsUp(estimated.window());
        }
        if (limit instanceof FixedWindow fixed) {
            return secondsUp(fixed.window());
        }
        if (limit instanceof LeakyBucket leaky) {
            return secondsUp(leaky.period());
        }
        return limit instanceof TokenBucket bucket ? secondsToFill(bucket) : 0;
    }

    private static long secondsToFill(TokenBucket bucket) {
        BigInteger nanos = BigInteger.valueOf(bucket.refillPeriod().toNanos())
                .multiply(BigInteger.valueOf(bucket.capacity()))
                .divide(BigInteger.valueOf(bucket.refillTokens()));
        BigInteger most = BigInteger.valueOf(Long.MAX_VALUE);
        return secondsUp(Duration.ofNanos(nanos.min(most).longValueExact()));
    }

    /** Rounds up to whole seconds, at least one: less cannot be said in a header field. */
    static long secondsUp(Duration duration) {
        return Math.max(1, duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0));
    }
}
