package dev.weir.spring;

import dev.weir.RateLimiter;
import dev.weir.RateLimiterStatistics;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The actuator endpoint {@code weir}: the state of each limit. Read-only; reports only the number of keys, no key itself. */
@Endpoint(id = "weir")
public final class WeirEndpoint {

    private final NamedLimits named;

    WeirEndpoint(NamedLimits named) {
        this.named = named;
    }

    /**
     * The state of all limits.
     *
     * @param limits the entries by name of the limit
     */
    public record Report(Map<String, Entry> limits) {}

    /**
     * The state of one limit. With a key, all numbers but {@code keys} are null; without one, {@code keys} is null.
     *
     * @param limit the limit as text: with a key as defined for each; without one that of the limiter, which may have been
     *     reconfigured itself
     * @param backend where its permits are kept: local or redis
     * @param keys how many keys are kept
     * @param available permits available now
     * @param queued permits that waiting requests ask for
     * @param acquired number of leases granted
     * @param refused number of leases refused
     */
    public record Entry(
            String limit,
            String backend,
            @Nullable Long keys,
            @Nullable Long available,
            @Nullable Long queued,
            @Nullable Long acquired,
            @Nullable Long refused) {}

    /**
     * Reports the state of all limits.
     *
     * @return the report
     */
    @ReadOperation
    public Report report() {
        Map<String, Entry> entries = new LinkedHashMap<>();
        named.names().forEach(name -> entries.put(name, entry(named.definition(name))));
        return new Report(entries);
    }

    private Entry entry(LimitDefinition definition) {
        String backend = definition.backend().name().toLowerCase(Locale.ROOT);
        if (definition.hasKey()) {
            long keys = named.partitioned(definition.name()).keyCount();
            return new Entry(definition.limit().toString(), backend, keys, null, null, null, null);
        }
        RateLimiter limiter = named.limiter(definition.name());
        RateLimiterStatistics now = limiter.statistics();
        return new Entry(
                limiter.limit().toString(),
                backend,
                null,
                now.available(),
                now.queuedPermits(),
                now.acquired(),
                now.refused());
    }
}
