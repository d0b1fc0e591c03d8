package dev.weir.testkit;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;

final class FixedWindowContractTest extends RateLimiterContract {

    @Override
    public RateLimiter.Builder builder(Limit limit) {
        return RateLimiter.builder(limit);
    }

    @Override
    public Limit limit(int permits, Duration period) {
        return Limit.fixedWindow(permits, period);
    }

    @Override
    public long mostIn(int permits, Duration period, Duration interval) {
        return permits * ((interval.toNanos() - 1) / period.toNanos() + 2);
    }
}
