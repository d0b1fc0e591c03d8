package dev.weir.micrometer;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.RateLimiterStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Objects;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Micrometer meters of rate limiters. There are two parts, which share the tag {@code limiter}:
 *
 * <ul>
 *   <li>{@link #bindTo(MeterRegistry, RateLimiter)} reads the state of an existing limiter whenever the registry is read, and adds
 *       no overhead to requests;
 *   <li>{@link #observer} is passed to the builder of a limiter, and records what the state does not show: how long requests
 *       waited, why they were refused, and what made the decision.
 * </ul>
 *
 * <table>
 *   <caption>The meters</caption>
 *   <tr><th>name</th><th>kind</th><th>unit</th><th>tags besides {@code limiter}</th><th>from</th></tr>
 *   <tr><td>{@code weir.limiter.available}</td><td>gauge</td><td>permits, negative while in debt</td><td></td><td>bindTo</td></tr>
 *   <tr><td>{@code weir.limiter.queued}</td><td>gauge</td><td>permits</td><td></td><td>bindTo</td></tr>
 *   <tr><td>{@code weir.limiter.leases}</td><td>counter</td><td>leases</td>
 *       <td>{@code outcome}: acquired, refused</td><td>bindTo</td></tr>
 *   <tr><td>{@code weir.limiter.keys}</td><td>gauge</td><td>keys</td><td></td><td>bindTo, of keyed limiters</td></tr>
 *   <tr><td>{@code weir.limiter.wait}</td><td>timer</td><td>time</td>
 *       <td>{@code outcome}: acquired, cancelled; {@code source}</td><td>observer</td></tr>
 *   <tr><td>{@code weir.limiter.permits}</td><td>counter</td><td>permits</td>
 *       <td>{@code outcome}: acquired; {@code source}</td><td>observer</td></tr>
 *   <tr><td>{@code weir.limiter.refusals}</td><td>counter</td><td>requests</td>
 *       <td>{@code outcome}: the reason, in lower case; {@code source}</td><td>observer</td></tr>
 * </table>
 *
 * <p>The {@code source} is the {@link dev.weir.limit.DecisionSource} in lower case: {@code local}, {@code remote}, or {@code
 * fallback} if a node decided by itself because the store did not answer. A cancelled wait has {@code none}, as there was no
 * decision. Sum over this tag where it does not matter. The meters of {@code bindTo} lack it, as the statistics do not have it.
 *
 * <p>The number of meters depends only on the number of limiters. Keys are never tags: a registry keeps every tag value that it has
 * seen, so that keys chosen by clients would exhaust the memory.
 *
 * <p>Thread-safe and non-blocking. Null arguments cause a {@link NullPointerException}.
 */
public final class WeirMetrics {

    private WeirMetrics() {}

    /**
     * Adds the meters of an existing limiter, under its name. They replace the meters of an earlier limiter of the same name in the
     * registry, such as one that has been closed and recreated; the counters then restart at zero. The registry references the
     * limiter weakly: once it has been garbage collected, its gauges are {@code NaN}. The figures of a limiter of one key begin anew when
     * the key has been forgotten; its counters then stay until those exceed what was read before.
     *
     * @param registry the registry to add to
     * @param limiter the limiter to read
     */
    public static void bindTo(MeterRegistry registry, RateLimiter limiter) {
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(limiter, "limiter");
        Tags tags = Tags.of("limiter", limiter.name());
        Tags acquired = tags.and("outcome", "acquired");
        Tags refused = tags.and("outcome", "refused");
        forget(registry, "weir.limiter.available", tags);
        forget(registry, "weir.limiter.queued", tags);
        forget(registry, "weir.limiter.leases", acquired);
        forget(registry, "weir.limiter.leases", refused);
        Gauge.builder("weir.limiter.available", limiter, RateLimiter::availablePermits)
                .description("Permits that could be taken now; negative while in debt")
                .baseUnit("permits")
                .tags(tags)
                .register(registry);
        Gauge.builder("weir.limiter.queued", limiter, read -> read.statistics().queuedPermits())
                .description("Permits that waiting requests ask for")
                .baseUnit("permits")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("weir.limiter.leases", limiter, rising(RateLimiterStatistics::acquired))
                .description("Requests by outcome")
                .tags(acquired)
                .register(registry);
        FunctionCounter.builder("weir.limiter.leases", limiter, rising(RateLimiterStatistics::refused))
                .description("Requests by outcome")
                .tags(refused)
                .register(registry);
    }

    /**
     * Adds the meter of a partitioned limiter: the number of keys that it keeps. All other meters come from its
     * {@linkplain #observer observer}, for all keys together. Reading takes time in proportion to the number of keys.
     *
     * @param registry the registry to add to
     * @param name of the limiter
     * @param limiters the limiter to read, replacing any earlier one of the same name; referenced weakly
     */
    public static void bindTo(MeterRegistry registry, String name, PartitionedRateLimiter<?> limiters) {
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(limiters, "limiters");
        Tags tags = Tags.of("limiter", name);
        forget(registry, "weir.limiter.keys", tags);
        Gauge.builder("weir.limiter.keys", limiters, PartitionedRateLimiter::keyCount)
                .description("Keys that are kept because something about them differs from a key never seen")
                .baseUnit("keys")
                .tags(tags)
                .register(registry);
    }

    /**
     * Makes a figure monotonic: giving a lease back decreases it, which monitoring systems would take for a counter reset. If the limiter
     * cannot be read, the figure stays: a registry takes what a gauge throws for NaN, but what a counter throws ends the whole reading.
     */
    private static ToDoubleFunction<RateLimiter> rising(ToLongFunction<RateLimiterStatistics> figure) {
        LongAccumulator most = new LongAccumulator(Math::max, 0);
        return limiter -> {
            try {
                most.accumulate(figure.applyAsLong(limiter.statistics()));
            } catch (Throwable unreadable) {
                // stays as it was
            }
            return most.get();
        };
    }

    /** Removes a meter: otherwise the registry would keep it, and the limiter that it reads, when another one is registered. */
    private static void forget(MeterRegistry registry, String meter, Tags tags) {
        registry.removeByPreFilterId(new Meter.Id(meter, tags, null, null, Meter.Type.OTHER));
    }

    /**
     * Creates an observer that records waits, permits and refusals, for the builder of a single or partitioned limiter. Observers
     * of the same name add to the same meters. Each grant records to a timer.
     *
     * @param registry the registry to add to
     * @param name of the limiter
     * @return an observer
     */
    public static RateLimiterObserver observer(MeterRegistry registry, String name) {
        return new MeteredRequests(
                Objects.requireNonNull(registry, "registry"), Tags.of("limiter", Objects.requireNonNull(name, "name")));
    }
}
