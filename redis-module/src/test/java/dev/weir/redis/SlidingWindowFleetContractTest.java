package dev.weir.redis;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.RateLimiterContract;
import java.time.Duration;

final class SlidingWindowFleetContractTest extends RateLimiterContract {

    @Override
    public RateLimiter.Builder builder(Limit limit) {
        return ModelFleet.builder(limit);
    }

    @Override
    public Limit limit(int permits, Duration period) {
        return Limit.slidingWindow(permits, period, 10);
    }
}
