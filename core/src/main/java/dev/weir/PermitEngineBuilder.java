package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.limit.PolicyFactory;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;

/** Builds a {@link PermitEngine} that stands alone. */
final class PermitEngineBuilder implements RateLimiter.Builder {

    private final Limit limit;
    private final Settings settings = new Settings();

    PermitEngineBuilder(Limit limit) {
        this.limit = Objects.requireNonNull(limit, "limit");
    }

    @Override
    public RateLimiter.Builder name(String name) {
        settings.name(name);
        return this;
    }

    @Override
    public RateLimiter.Builder queueLimit(int permits) {
        settings.queueLimit(permits);
        return this;
    }

    @Override
    public RateLimiter.Builder queueOrder(QueueOrder order) {
        settings.queueOrder(order);
        return this;
    }

    @Override
    public RateLimiter.Builder maxWait(Duration maxWait) {
        settings.maxWait(maxWait);
        return this;
    }

    @Override
    public RateLimiter.Builder timeSource(TimeSource timeSource) {
        settings.timeSource(timeSource);
        return this;
    }

    @Override
    public RateLimiter.Builder observer(RateLimiterObserver observer) {
        settings.observer(observer);
        return this;
    }

    @Override
    public RateLimiter.Builder policies(PolicyFactory policies) {
        settings.policies(policies);
        return this;
    }

    @Override
    public RateLimiter build() {
        return new PermitEngine(Terms.alone(settings, limit), null);
    }
}
