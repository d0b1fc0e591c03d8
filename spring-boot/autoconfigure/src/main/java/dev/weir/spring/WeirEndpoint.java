package dev.weir.spring;

import dev.weir.RateLimiterStatistics;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The actuator endpoint {@code weir}: how each limit stands. Read-only, and says of keys only how many there are. */
@Endpoint(id = "weir")
public final class WeirEndpoint {

    private final NamedLimits named;

    WeirEndpoint(NamedLimits named) {
        this.named = named;
    }

    /**
     * All limits.
     *
     * @param limits by name
     */
    public record Report(Map<String, Entry> limits) {}

    /**
     * One limit; of one with a key, only the number of keys.
     *
     * @param limit the limit in words
     * @param backend where its permits are kept: local or redis
     * @param keys how many keys are kept
     * @param available permits that could be taken now
     * @param queued permits that are waited for
     * @param acquired leases granted
     * @param refused leases refused
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
     * Reads all limits.
     *
     * @return how each stands
     */
    @ReadOperation
    public Report report() {
        Map<String, Entry> entries = new LinkedHashMap<>();
        named.names().forEach(name -> entries.put(name, entry(named.definition(name))));
        return new Report(entries);
    }

    private Entry entry(LimitDefinition definition) {
        String words = definition.limit().toString();
        String backend = definition.backend().name().toLowerCase(Locale.ROOT);
        if (definition.key() != null) {
            long keys = named.partitioned(definition.name()).keyCount();
            return new Entry(words, backend, keys, null, null, null, null);
        }
        RateLimiterStatistics now = named.limiter(definition.name()).statistics();
        return new Entry(words, backend, null, now.available(), now.queuedPermits(), now.acquired(), now.refused());
    }
}
