package dev.weir.webflux;

import dev.weir.limit.AllOf;
import dev.weir.limit.Concurrency;
import dev.weir.limit.CountingCalls;
import dev.weir.limit.Limit;
import dev.weir.limit.Unlimited;
import java.time.Duration;
import java.util.List;

/**
 * A limit as header fields express it, which draft-ietf-httpapi-ratelimit-headers-11 calls a quota policy: a quota in a window of
 * whole seconds, rounded up, so that it never overstates the rate.
 *
 * @param quota the permits
 * @param windowSeconds the window; zero if there is none
 * @param isConcurrent whether the quota is a number of concurrent requests
 */
record QuotaPolicy(int quota, long windowSeconds, boolean isConcurrent) {

    /** Returns the policies of a limit: one, several if the limit consists of several, none if it is unlimited. */
    static List<QuotaPolicy> of(Limit limit) {
        if (limit instanceof AllOf several) {
            return several.limits().stream().flatMap(each -> of(each).stream()).toList();
        }
        if (limit instanceof CountingCalls calls) {
            return of(calls.limit());
        }
        if (limit instanceof Unlimited) {
            return List.of();
        }
        int quota = limit.capacity();
        long window = Rate.of(limit).map(rate -> secondsUp(rate.timeFor(quota))).orElse(0L);
        return List.of(new QuotaPolicy(quota, window, limit instanceof Concurrency));
    }

    /**
     * Returns the least quota of the parts of a limit that has policies: no more of it is told to be left. Parts that count calls are
     * left out if there are others, as calls are no permits.
     */
    static int leastQuota(Limit limit) {
        List<QuotaPolicy> all = of(limit);
        List<QuotaPolicy> ofPermits = limit instanceof AllOf several
                ? several.limits().stream()
                        .filter(part -> !(part instanceof CountingCalls))
                        .flatMap(part -> of(part).stream())
                        .toList()
                : all;
        List<QuotaPolicy> counted = ofPermits.isEmpty() ? all : ofPermits;
        return counted.stream().mapToInt(QuotaPolicy::quota).min().orElseThrow();
    }

    /** Rounds up to whole seconds, at least one: header fields have no fractions. */
    static long secondsUp(Duration duration) {
        return Math.max(1, duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0));
    }
}
