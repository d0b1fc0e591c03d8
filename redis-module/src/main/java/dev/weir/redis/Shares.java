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
import java.time.Duration;

/**
 * The share of a limit that one of several nodes may use on its own, such that in the long run all nodes together stay within the
 * limit. With at least one permit per node, no interval sees more than the bound of the limit, either. With fewer permits than
 * nodes, each node gets one permit per correspondingly longer period; then an interval may see one of each, that is, as many
 * permits as nodes. A concurrency limit has no period to stretch: there it may always be one of each.
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
            return new LeakyBucket(
                    permits(bucket.permits()), period(bucket.permits(), bucket.period()), bucket.slack() / nodes);
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

    private TokenBucket of(TokenBucket bucket) {
        int capacity = permits(bucket.capacity());
        boolean startsFull = bucket.initialTokens() == bucket.capacity();
        return new TokenBucket(
                capacity,
                permits(bucket.refillTokens()),
                period(bucket.refillTokens(), bucket.refillPeriod()),
                startsFull ? capacity : Math.min(capacity, bucket.initialTokens() / nodes),
                bucket.inSteps());
    }

    private int permits(int all) {
        return Math.max(1, all / nodes);
    }

    /** Returns the period of a share of a limit, capped at the longest period. */
    private Duration period(int permits, Duration period) {
        if (permits >= nodes) {
            return period;
        }
        Duration shared = period.multipliedBy(nodes).plusNanos(permits - 1L).dividedBy(permits);
        return shared.compareTo(RedisOptions.LONGEST) < 0 ? shared : RedisOptions.LONGEST;
    }
}
