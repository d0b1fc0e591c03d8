package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;

/** Creates limiters that live in this JVM. */
final class LocalLimiters implements LimiterFactory {

    private final LimiterWatch watch;

    LocalLimiters(LimiterWatch watch) {
        this.watch = watch;
    }

    @Override
    public RateLimiter limiter(LimitDefinition definition) {
        return definition.build(RateLimiter.builder(definition.limit()), watch);
    }

    @Override
    public PartitionedRateLimiter<String> partitioned(LimitDefinition definition) {
        return definition.build(PartitionedRateLimiter.builder(key -> definition.limit()), watch);
    }
}
