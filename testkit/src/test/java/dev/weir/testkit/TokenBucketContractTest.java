package dev.weir.testkit;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;

final class TokenBucketContractTest extends RateLimiterContract {

    @Override
    public RateLimiter.Builder builder(Limit limit) {
        return RateLimiter.builder(limit);
    }

    @Override
    public Limit limit(int permits, Duration period) {
        return Limit.tokenBucket(permits, permits, period);
    }

    @Override
    public long mostIn(int permits, Duration period, Duration interval) {
        return permits + permits * interval.toNanos() / period.toNanos();
    }
}
