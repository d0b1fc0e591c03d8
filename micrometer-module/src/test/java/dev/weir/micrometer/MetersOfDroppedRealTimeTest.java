package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Limiters that only a registry still knows. */
class MetersOfDroppedRealTimeTest {

    private static final Limit LIMIT = Limit.of(5, Duration.ofHours(1));

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private List<WeakReference<?>> bound() {
        RateLimiter one = RateLimiter.builder(LIMIT).name("one").build();
        PartitionedRateLimiter<String> many = PartitionedRateLimiter.of(LIMIT);
        WeirMetrics.bindTo(registry, one);
        WeirMetrics.bindTo(registry, "many", many);
        assertThat(one.tryAcquire().isAcquired()).isTrue();
        assertThat(many.tryAcquire("key", 1).isAcquired()).isTrue();
        assertThat(gauge("available")).isEqualTo(4);
        assertThat(gauge("keys")).isEqualTo(1);
        assertThat(leases()).isEqualTo(1);
        return List.of(new WeakReference<>(one), new WeakReference<>(many));
    }

    @Test
    @DisplayName("a dropped limiter is not kept by its meters: its gauges are NaN, and its counters stay")
    void dropped() {
        bound().forEach(limiter -> await().until(() -> {
            System.gc();
            return limiter.get() == null;
        }));
        assertThat(List.of(gauge("available"), gauge("queued"), gauge("keys"))).containsOnly(Double.NaN);
        assertThat(leases()).isEqualTo(1);
    }

    private double gauge(String name) {
        return registry.get("weir.limiter." + name).gauge().value();
    }

    private double leases() {
        return registry.get("weir.limiter.leases")
                .tag("outcome", "acquired")
                .functionCounter()
                .count();
    }
}
