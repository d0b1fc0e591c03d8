package dev.weir.micrometer;

import dev.weir.RateLimiterObserver;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Records how long requests waited, why they were refused, and what made the decision. All meters exist from the start: the first
 * value of a counter does not show as an increase in monitoring, which would hide the first decisions without the store.
 */
final class MeteredRequests implements RateLimiterObserver {

    private final Map<DecisionSource, Decisions> decisions = new EnumMap<>(DecisionSource.class);
    private final Timer cancelled;

    MeteredRequests(MeterRegistry registry, Tags tags) {
        for (DecisionSource source : DecisionSource.values()) {
            decisions.put(source, new Decisions(registry, tags.and("source", lowerCase(source))));
        }
        this.cancelled = waitTimer(registry, tags.and("outcome", "cancelled", "source", "none"));
    }

    /** The meters of decisions from one source. */
    private static final class Decisions {

        private final Timer acquired;
        private final Counter permits;
        private final Map<RefusalReason, Counter> refusals = new EnumMap<>(RefusalReason.class);

        Decisions(MeterRegistry registry, Tags tags) {
            this.acquired = waitTimer(registry, tags.and("outcome", "acquired"));
            this.permits = Counter.builder("weir.limiter.permits")
                    .description("Permits granted")
                    .baseUnit("permits")
                    .tags(tags.and("outcome", "acquired"))
                    .register(registry);
            for (RefusalReason reason : RefusalReason.values()) {
                refusals.put(reason, refusalCounter(registry, tags, reason));
            }
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
                .tags(tags.and("outcome", lowerCase(reason)))
                .register(registry);
    }

    private static String lowerCase(Enum<?> name) {
        return name.name().toLowerCase(Locale.ROOT);
    }

    private Decisions by(DecisionSource source) {
        return Objects.requireNonNull(decisions.get(source), "source");
    }

    @Override
    public void onAcquired(int granted, long waitedNanos) {
        onAcquired(granted, waitedNanos, DecisionSource.LOCAL);
    }

    @Override
    public void onAcquired(int granted, long waitedNanos, DecisionSource source) {
        Decisions of = by(source);
        of.acquired.record(waitedNanos, TimeUnit.NANOSECONDS);
        of.permits.increment(granted);
    }

    @Override
    public void onRefused(int refused, RefusalReason reason) {
        onRefused(refused, reason, DecisionSource.LOCAL);
    }

    @Override
    public void onRefused(int refused, RefusalReason reason, DecisionSource source) {
        Objects.requireNonNull(by(source).refusals.get(reason), "counter").increment();
    }

    @Override
    public void onCancelled(int withdrawn, long waitedNanos) {
        cancelled.record(waitedNanos, TimeUnit.NANOSECONDS);
    }
}
