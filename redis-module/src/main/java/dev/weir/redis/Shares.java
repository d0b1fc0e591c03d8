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
 * What one of several nodes may do on its own: so little that in the long run all together are no faster than the limit. Where there is
 * a permit for each node, no interval sees more than the bound of the limit, either. Where there are fewer permits than nodes, each
 * node has one, as much less often; then an interval may see one of each, that is, as many permits as nodes. A limit of concurrency has
 * no time to stretch: there it may always be one of each.
 */
final class Shares {

    /** The longest period of a limit. */
    private static final Duration LONGEST = Duration.ofNanos((1L << 61) - 1);

    private final int nodes;

    Shares(int nodes) {
        this.nodes = nodes;
    }

    /** Tells whether there are other nodes. */
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

    /** A share that would come back later than any limit can say comes back as late as that. */
    private Duration period(int permits, Duration period) {
        if (permits >= nodes) {
            return period;
        }
        Duration shared = period.multipliedBy(nodes).plusNanos(permits - 1L).dividedBy(permits);
        return shared.compareTo(LONGEST) < 0 ? shared : LONGEST;
    }
}
