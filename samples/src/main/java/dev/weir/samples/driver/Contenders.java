package dev.weir.samples.driver;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Every kind of limit, set to 10 per second. */
final class Contenders {

    private static final int PERMITS = 10;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private Contenders() {}

    static Map<String, Limit> byName() {
        Map<String, Limit> limits = new LinkedHashMap<>();
        limits.put("sliding window, exact", Limit.of(PERMITS, SECOND));
        limits.put("sliding window, 10 segments", Limit.slidingWindow(PERMITS, SECOND, 10));
        limits.put("sliding window counter", Limit.slidingWindowCounter(PERMITS, SECOND));
        limits.put("fixed window, aligned", Limit.fixedWindow(PERMITS, SECOND).aligned());
        limits.put("token bucket", Limit.tokenBucket(PERMITS, PERMITS, SECOND));
        limits.put(
                "token bucket, in steps",
                Limit.tokenBucket(PERMITS, PERMITS, SECOND).refillingInSteps());
        limits.put("leaky bucket", Limit.leakyBucket(PERMITS, SECOND));
        limits.put("concurrency", Limit.concurrency(PERMITS));
        limits.put(
                "bucket and window at once",
                Limit.allOf(Limit.tokenBucket(PERMITS, PERMITS, SECOND), Limit.of(PERMITS, SECOND)));
        limits.put("unlimited", Limit.unlimited());
        return limits;
    }
}
