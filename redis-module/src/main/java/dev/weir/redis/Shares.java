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

/**
 * The share of a limit that one of several nodes may use on its own, such that in the long run all nodes together stay within the
 * limit. With at least one permit per node, no interval sees more than the bound of the limit, either. With fewer permits than
 * nodes, each node gets one permit per correspondingly longer period; then an interval may see one of each, that is, as many
 * permits as nodes. A concurrency limit has no period to stretch: there it may always be one of each.
 *
 * <p>What flows continuously comes as fast as is due, but for less than a nanosecond a period. Windows and steps stay as long as they
 * are, with permits rounded down: as nodes are alike, all would use one more at once. A burst is smaller where all of it would take
 * longer than the longest period to come.
 */
final class Shares {

    private final int nodes;

    Shares(int nodes) {
        this.nodes = nodes;
    }

    /** Returns whether there are other nodes. */
    boolean areSeveral() {
        return nodes > 1;
    }

    Limit of(Limit limit) {
        if (nodes == 1) {
            return limit;
        }
        if (limit instanceof SlidingWindowLog window) {
            return Limit.of(permits(window.permits()), period(window.permits(), window.period()));
        }
        if (limit instanceof SlidingWindow window) {
            return Limit.slidingWindow(
                    permits(window.permits()), period(window.permits(), window.window()), window.segments());
        }
        if (limit instanceof SlidingWindowCounter window) {
            return Limit.slidingWindowCounter(permits(window.permits()), period(window.permits(), window.window()));
        }
        if (limit instanceof FixedWindow window) {
            return new FixedWindow(
                    permits(window.permits()), period(window.permits(), window.window()), window.onMultiples());
        }
        if (limit instanceof LeakyBucket bucket) {
            return of(bucket);
        }
        if (limit instanceof TokenBucket bucket) {
            return of(bucket);
        }
        if (limit instanceof Concurrency concurrency) {
            return Limit.concurrency(permits(concurrency.permits()));
        }
        if (limit instanceof CountingCalls calls) {
            return of(calls.limit()).countingCalls();
        }
        if (limit instanceof AllOf several) {
            return Limit.allOf(several.limits().stream().map(this::of).toArray(Limit[]::new));
        }
        return limit;
    }

    private LeakyBucket of(LeakyBucket bucket) {
        int permits = permits(bucket.permits());
        Duration period = pace(bucket.permits(), bucket.period());
        return new LeakyBucket(permits, period, burst(bucket.slack() / nodes + 1, permits, period) - 1);
    }

    private TokenBucket of(TokenBucket bucket) {
        int tokens = permits(bucket.refillTokens());
        Duration period = bucket.inSteps()
                ? period(bucket.refillTokens(), bucket.refillPeriod())
                : pace(bucket.refillTokens(), bucket.refillPeriod());
        int capacity = burst(permits(bucket.capacity()), tokens, period);
        boolean startsFull = bucket.initialTokens() == bucket.capacity();
        return new TokenBucket(
                capacity,
                tokens,
                period,
                startsFull ? capacity : Math.min(capacity, bucket.initialTokens() / nodes),
                bucket.inSteps());
    }

    private int permits(int all) {
        return Math.max(1, all / nodes);
    }

    /** Returns the period of a share of a limit whose period is kept if there are permits for all nodes. */
    private Duration period(int permits, Duration period) {
        return permits >= nodes ? period : pace(permits, period);
    }

    /** Returns the period in which the share of that many permits is due, rounded up, and capped at the longest period. */
    private Duration pace(int permits, Duration period) {
        long ofAll = (long) permits(permits) * nodes;
        Duration shared = period.multipliedBy(ofAll).plusNanos(permits - 1L).dividedBy(permits);
        return shared.compareTo(RedisOptions.LONGEST) < 0 ? shared : RedisOptions.LONGEST;
    }

    /** Returns how much of a burst comes within the longest period, at so many permits in each period. */
    private static int burst(int wanted, int permits, Duration period) {
        BigInteger most = BigInteger.valueOf(RedisOptions.LONGEST.toNanos())
                .multiply(BigInteger.valueOf(permits))
                .divide(BigInteger.valueOf(period.toNanos()));
        return most.min(BigInteger.valueOf(wanted)).intValueExact();
    }
}
