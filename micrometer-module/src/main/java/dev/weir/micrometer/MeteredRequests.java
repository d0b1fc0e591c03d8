package dev.weir.micrometer;

import dev.weir.RateLimiterObserver;
import dev.weir.RefusalReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Records how long requests waited and why they were refused. All meters exist from the start, so that none appears late. */
final class MeteredRequests implements RateLimiterObserver {

    private final Timer acquired;
    private final Timer cancelled;
    private final Counter permits;
    private final Map<RefusalReason, Counter> refusals = new EnumMap<>(RefusalReason.class);

    MeteredRequests(MeterRegistry registry, Tags tags) {
        this.acquired = waitTimer(registry, tags.and("outcome", "acquired"));
        this.cancelled = waitTimer(registry, tags.and("outcome", "cancelled"));
        this.permits = Counter.builder("weir.limiter.permits")
                .description("Permits granted")
                .baseUnit("permits")
                .tags(tags.and("outcome", "acquired"))
                .register(registry);
        for (RefusalReason reason : RefusalReason.values()) {
            refusals.put(reason, refusalCounter(registry, tags, reason));
        }
    }

    private static Timer waitTimer(MeterRegistry registry, Tags tags) {
        return Timer.builder("weir.limiter.wait")
                .description("For how long requests waited, zero for those that did not have to")
                .tags(tags)
                .register(registry);
    }

    private static Counter refusalCounter(MeterRegistry registry, Tags tags, RefusalReason reason) {
        return Counter.builder("weir.limiter.refusals")
                .description("Requests refused, by reason")
                .tags(tags.and("outcome", reason.name().toLowerCase(Locale.ROOT)))
                .register(registry);
    }

    @Override
    public void onAcquired(int granted, long waitedNanos) {
        acquired.record(waitedNanos, TimeUnit.NANOSECONDS);
        permits.increment(granted);
    }

    @Override
    public void onRefused(int refused, RefusalReason reason) {
        Objects.requireNonNull(refusals.get(reason), "counter").increment();
    }

    @Override
    public void onCancelled(int withdrawn, long waitedNanos) {
        cancelled.record(waitedNanos, TimeUnit.NANOSECONDS);
    }
}
