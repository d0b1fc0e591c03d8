package dev.weir.webflux;

import dev.weir.limit.AllOf;
import dev.weir.limit.Concurrency;
import dev.weir.limit.CountingCalls;
import dev.weir.limit.Limit;
import dev.weir.limit.Unlimited;
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
        return Rate.of(limit)
                .map(rate -> secondsUp(rate.timeFor(limit.capacity())))
                .orElse(0L);
    }

    /** Rounds up to whole seconds, at least one: less cannot be said in a header field. */
    static long secondsUp(Duration duration) {
        return Math.max(1, duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0));
    }
}
