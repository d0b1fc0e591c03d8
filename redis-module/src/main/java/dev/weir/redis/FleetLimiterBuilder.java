package dev.weir.redis;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.limit.Limit;
import dev.weir.limit.PolicyFactory;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/** Builds limiters whose policies ask a store, on the time source set at the time of building. */
final class FleetLimiterBuilder implements RateLimiter.Builder {

    private final RateLimiter.Builder builder;
    private final FleetPolicies policies;
    private final Consumer<RateLimiter> made;
    private TimeSource timeSource = TimeSource.system();
    private QueueOrder queueOrder = QueueOrder.OLDEST_FIRST;

    FleetLimiterBuilder(Limit limit, FleetPolicies policies, Consumer<RateLimiter> made) {
        this.builder = RateLimiter.builder(limit);
        this.policies = policies;
        this.made = made;
    }

    @Override
    public RateLimiter.Builder name(String name) {
        builder.name(name);
        return this;
    }

    @Override
    public RateLimiter.Builder queueLimit(int permits) {
        builder.queueLimit(permits);
        return this;
    }

    @Override
    public RateLimiter.Builder queueOrder(QueueOrder order) {
        builder.queueOrder(order);
        queueOrder = order;
        return this;
    }

    @Override
    public RateLimiter.Builder maxWait(Duration maxWait) {
        builder.maxWait(maxWait);
        return this;
    }

    @Override
    public RateLimiter.Builder timeSource(TimeSource source) {
        timeSource = Objects.requireNonNull(source, "timeSource");
        builder.timeSource(source);
        return this;
    }

    @Override
    public RateLimiter.Builder observer(RateLimiterObserver observer) {
        builder.observer(observer);
        return this;
    }

    /** Throws: the policies of this limiter are fixed. */
    @Override
    public RateLimiter.Builder policies(PolicyFactory other) {
        throw new IllegalArgumentException("the policies of this limiter are set");
    }

    @Override
    public RateLimiter build() {
        TimeSource time = timeSource;
        QueueOrder order = queueOrder;
        RateLimiter limiter = builder.policies((limit, key, now) -> policies.newPolicy(limit, key, time, order, now))
                .build();
        made.accept(limiter);
        return limiter;
    }
}
