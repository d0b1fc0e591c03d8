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
 * Meters of rate limiters. There are two halves, which share the tag {@code limiter}:
 *
 * <ul>
 *   <li>{@link #bindTo(MeterRegistry, RateLimiter)} reads a limiter that exists, whenever the registry is read: nothing is
 *       added to what a permit costs;
 *   <li>{@link #observer} is given to the builder of a limiter, and hears what no figure tells afterwards: how long requests
 *       waited, why they were refused, and who decided.
 * </ul>
 *
 * <table>
 *   <caption>The meters</caption>
 *   <tr><th>name</th><th>kind</th><th>unit</th><th>tags beside {@code limiter}</th><th>from</th></tr>
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
 * <p>The {@code source} is the {@link dev.weir.limit.DecisionSource} in lower case: {@code local}, {@code remote} or {@code
 * fallback}, which is a node on its own as the store did not answer. A wait that was given up has {@code none}: nobody decided.
 * Sum over it where it does not matter. The statistics that {@code bindTo} reads do not know it, so its meters do not have it.
 *
 * <p>The number of meters depends on the number of limiters alone. No key is ever a tag: a registry keeps what it has seen, so
 * that the keys of strangers would fill the memory.
 *
 * <p>Thread-safe, and nothing blocks. A missing argument is a {@link NullPointerException}.
 */
public final class WeirMetrics {

    private WeirMetrics() {}

    /**
     * Adds the meters of a limiter that exists, under its name. Two limiters of one name in one registry cannot be told apart:
     * the last one is read, as a limiter that is closed and made anew has the name of the one before. The counters begin at zero
     * then. The registry does not keep the limiter from being collected; its gauges read {@code NaN} then.
     *
     * @param registry where to
     * @param limiter who is read
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
     * Adds the meter of a limiter by key: how many keys it keeps. What else there is to know comes from its
     * {@linkplain #observer observer}, of all keys together. Reading takes time in proportion to the number of keys.
     *
     * @param registry where to
     * @param name of the limiter
     * @param limiters who is read, in the place of others of that name; not kept from being collected
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

    /** What is given back is counted as never acquired; a counter that falls is taken for one that began anew. */
    private static ToDoubleFunction<RateLimiter> rising(ToLongFunction<RateLimiterStatistics> figure) {
        LongAccumulator most = new LongAccumulator(Math::max, 0);
        return limiter -> {
            most.accumulate(figure.applyAsLong(limiter.statistics()));
            return most.get();
        };
    }

    /** A registry keeps the first meter of a name, and so the limiter that it reads, whatever is registered later. */
    private static void forget(MeterRegistry registry, String meter, Tags tags) {
        registry.removeByPreFilterId(new Meter.Id(meter, tags, null, null, Meter.Type.OTHER));
    }

    /**
     * Makes the half of the meters that must listen, for the builder of a limiter, single or by key. Observers of one name
     * add up in the same meters. Each grant then costs a timer's recording.
     *
     * @param registry where to
     * @param name of the limiter
     * @return an observer
     */
    public static RateLimiterObserver observer(MeterRegistry registry, String name) {
        return new MeteredRequests(
                Objects.requireNonNull(registry, "registry"), Tags.of("limiter", Objects.requireNonNull(name, "name")));
    }
}
