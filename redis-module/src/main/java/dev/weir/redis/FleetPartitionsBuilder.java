package dev.weir.redis;

import dev.weir.PartitionedRateLimiter;
import dev.weir.QueueOrder;
import dev.weir.RateLimiterObserver;
import dev.weir.limit.Limit;
import dev.weir.limit.PolicyFactory;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/** Builds partitioned limiters whose policies ask a store, on the time source set at the time of building. */
final class FleetPartitionsBuilder implements PartitionedRateLimiter.Builder<String> {

    private final PartitionedRateLimiter.Builder<String> builder;
    private final FleetPolicies policies;
    private final Consumer<PartitionedRateLimiter<String>> made;
    private TimeSource timeSource = TimeSource.system();
    private QueueOrder queueOrder = QueueOrder.OLDEST_FIRST;

    FleetPartitionsBuilder(
            Function<? super String, Limit> limitOf,
            FleetPolicies policies,
            Consumer<PartitionedRateLimiter<String>> made) {
        this.builder = PartitionedRateLimiter.builder(limitOf);
        this.policies = policies;
        this.made = made;
    }

    @Override
    public PartitionedRateLimiter.Builder<String> name(String name) {
        builder.name(name);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<String> queueLimit(int permits) {
        builder.queueLimit(permits);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<String> queueOrder(QueueOrder order) {
        builder.queueOrder(order);
        queueOrder = order;
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<String> maxWait(Duration maxWait) {
        builder.maxWait(maxWait);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<String> timeSource(TimeSource source) {
        timeSource = Objects.requireNonNull(source, "timeSource");
        builder.timeSource(source);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<String> observer(RateLimiterObserver observer) {
        builder.observer(observer);
        return this;
    }

    /** Throws: the policies of this limiter are fixed. */
    @Override
    public PartitionedRateLimiter.Builder<String> policies(PolicyFactory other) {
        throw new IllegalArgumentException("the policies of this limiter are set");
    }

    @Override
    public PartitionedRateLimiter.Builder<String> maximumKeys(int keys) {
        builder.maximumKeys(keys);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<String> overflowTo(Limit sharedByAllFurtherKeys) {
        builder.overflowTo(sharedByAllFurtherKeys);
        return this;
    }

    @Override
    public PartitionedRateLimiter<String> build() {
        TimeSource time = timeSource;
        QueueOrder order = queueOrder;
        PartitionedRateLimiter<String> limiter = builder.policies(
                        (limit, key, now) -> policies.newPolicy(limit, key, time, order, now))
                .build();
        made.accept(limiter);
        return limiter;
    }
}
