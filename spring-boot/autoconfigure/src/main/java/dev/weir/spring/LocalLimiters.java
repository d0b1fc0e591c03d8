package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;

/** Makes limiters that live in this JVM. */
final class LocalLimiters implements LimiterFactory {

    private final LimiterWatch watch;

    LocalLimiters(LimiterWatch watch) {
        this.watch = watch;
    }

    @Override
    public RateLimiter limiter(LimitDefinition definition) {
        RateLimiter.Builder builder = RateLimiter.builder(definition.limit())
                .name(definition.name())
                .queueLimit(definition.queueLimit())
                .queueOrder(definition.queueOrder())
                .observer(watch.observer(definition.name()));
        if (definition.maxWait() != null) {
            builder.maxWait(definition.maxWait());
        }
        return builder.build();
    }

    @Override
    public PartitionedRateLimiter<String> partitioned(LimitDefinition definition) {
        PartitionedRateLimiter.Builder<String> builder = PartitionedRateLimiter.<String>builder(
                        key -> definition.limit())
                .name(definition.name())
                .maximumKeys(definition.maximumKeys())
                .queueLimit(definition.queueLimit())
                .queueOrder(definition.queueOrder())
                .observer(watch.observer(definition.name()));
        if (definition.overflow() != null) {
            builder.overflowTo(definition.overflow());
        }
        if (definition.maxWait() != null) {
            builder.maxWait(definition.maxWait());
        }
        return builder.build();
    }
}
