package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.micrometer.WeirMetrics;
import io.micrometer.core.instrument.MeterRegistry;

/** Registers the meters of each limiter. */
final class MeteredLimiters implements LimiterWatch {

    private final MeterRegistry registry;

    MeteredLimiters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public RateLimiterObserver observer(String name) {
        return WeirMetrics.observer(registry, name);
    }

    @Override
    public void made(RateLimiter limiter) {
        WeirMetrics.bindTo(registry, limiter);
    }

    @Override
    public void made(String name, PartitionedRateLimiter<String> limiters) {
        WeirMetrics.bindTo(registry, name, limiters);
    }
}
