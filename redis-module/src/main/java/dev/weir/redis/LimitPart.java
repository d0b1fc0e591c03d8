package dev.weir.redis;

import dev.weir.limit.AllOf;
import dev.weir.limit.CountingCalls;
import dev.weir.limit.FixedWindow;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindow;
import dev.weir.limit.SlidingWindowCounter;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;
import dev.weir.limit.Unlimited;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the limits that are combined in a limit, or that limit itself.
 *
 * @param limit what it allows
 * @param calls whether it counts requests rather than permits
 * @param anySize whether a request of any number of permits is available as long as one is: it counts requests, and is combined with
 *     limits that may count permits
 */
record LimitPart(Limit limit, boolean calls, boolean anySize) {

    /** Returns the parts of a limit, in order; none that grant everything. */
    static List<LimitPart> of(Limit limit) {
        List<LimitPart> parts = new ArrayList<>();
        collect(limit, false, false, parts);
        return List.copyOf(parts);
    }

    private static void collect(Limit limit, boolean calls, boolean anySize, List<LimitPart> parts) {
        if (limit instanceof AllOf several) {
            several.limits().forEach(each -> collect(each, calls, anySize || each instanceof CountingCalls, parts));
        } else if (limit instanceof CountingCalls counting) {
            collect(counting.limit(), true, anySize, parts);
        } else if (!(limit instanceof Unlimited)) {
            parts.add(new LimitPart(limit, calls, anySize));
        }
    }

    /** Returns how much it counts of requests for that many permits in all. */
    long counts(long permits, long requests) {
        return calls ? requests : permits;
    }

    /** Returns how much of it its policy has available when it is full: of a bucket that spaces permits, those that go one by one. */
    long whenFull() {
        return limit instanceof LeakyBucket bucket ? bucket.slack() + 1L : limit.capacity();
    }

    /** Returns how much of it can be taken without waiting in between: of a leaky bucket its slack, and the largest request. */
    long most() {
        return limit instanceof LeakyBucket bucket ? (long) bucket.slack() + bucket.permits() : limit.capacity();
    }

    /**
     * Returns its period in nanoseconds; of a bucket, in how long all that can be taken at once comes back. Zero if permits do not return
     * with time.
     */
    long periodNanos() {
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
            return nanosForMost(bucket.period(), bucket.permits());
        }
        if (limit instanceof TokenBucket bucket) {
            return nanosForMost(bucket.refillPeriod(), bucket.refillTokens());
        }
        return 0;
    }

    /** The rest of a period apart, as the whole product may not fit; what it takes for the most fits, or there is no such limit. */
    private long nanosForMost(Duration period, int perPeriod) {
        long nanos = period.toNanos();
        return nanos / perPeriod * most() + nanos % perPeriod * most() / perPeriod;
    }
}
