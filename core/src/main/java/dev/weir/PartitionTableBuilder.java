package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.limit.PolicyFactory;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Builds a {@link PartitionTable}. */
final class PartitionTableBuilder<K> implements PartitionedRateLimiter.Builder<K> {

    private final Function<? super K, Limit> limitOf;
    private final Settings settings = new Settings();
    private int maximumKeys = Integer.MAX_VALUE;
    private @Nullable Limit overflow;

    PartitionTableBuilder(Function<? super K, Limit> limitOf) {
        this.limitOf = Objects.requireNonNull(limitOf, "limitOf");
    }

    @Override
    public PartitionedRateLimiter.Builder<K> name(String name) {
        settings.name(name);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<K> queueLimit(int permits) {
        settings.queueLimit(permits);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<K> queueOrder(QueueOrder order) {
        settings.queueOrder(order);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<K> maxWait(Duration maxWait) {
        settings.maxWait(maxWait);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<K> timeSource(TimeSource timeSource) {
        settings.timeSource(timeSource);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<K> observer(RateLimiterObserver observer) {
        settings.observer(observer);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<K> policies(PolicyFactory policies) {
        settings.policies(policies);
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<K> maximumKeys(int keys) {
        if (keys < 1) {
            throw new IllegalArgumentException("maximumKeys must be at least 1, but is " + keys);
        }
        this.maximumKeys = keys;
        return this;
    }

    @Override
    public PartitionedRateLimiter.Builder<K> overflowTo(Limit sharedByAllFurtherKeys) {
        this.overflow = Objects.requireNonNull(sharedByAllFurtherKeys, "sharedByAllFurtherKeys");
        return this;
    }

    @Override
    public PartitionedRateLimiter<K> build() {
        return new PartitionTable<>(limitOf, settings.copy("partitioned"), maximumKeys, overflow);
    }
}
