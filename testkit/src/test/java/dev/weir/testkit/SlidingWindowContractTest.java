package dev.weir.testkit;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;

final class SlidingWindowContractTest extends RateLimiterContract {

    @Override
    public RateLimiter.Builder builder(Limit limit) {
        return RateLimiter.builder(limit);
    }

    @Override
    public Limit limit(int permits, Duration period) {
        return Limit.slidingWindow(permits, period, 10);
    }
}
