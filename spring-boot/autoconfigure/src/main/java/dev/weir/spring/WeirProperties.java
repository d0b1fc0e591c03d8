package dev.weir.spring;

import dev.weir.QueueOrder;
import dev.weir.webflux.HeaderStyle;
import dev.weir.webflux.WithoutKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What an application says about its limits.
 *
 * @param enabled Whether limits are set up at all.
 * @param limits Limits by name.
 * @param redis Limits that all nodes share.
 * @param http Which requests are held against which limits.
 */
@ConfigurationProperties("weir")
public record WeirProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue Map<String, Named> limits,
        @DefaultValue Redis redis,
        @DefaultValue Http http) {

    /**
     * A limit with a name.
     *
     * @param base Name of the limit whose settings hold here too, unless set otherwise.
     * @param kind Kind of the limit; an exact sliding window unless set.
     * @param permits How many permits there are in each period; for a limit of concurrency, at the same time.
     * @param period Length of the period.
     * @param backend Where its permits are kept; in Redis if weir.redis.enabled, unless set.
     * @param leaseAhead How many permits each node takes from Redis in advance, to give them out without asking; none unless set.
     * @param segments Into how many parts a segmented window is divided; 10 unless set.
     * @param capacity Largest burst of a token bucket, by one key where there are keys; as many as its permits unless set.
     * @param slack How many late permits a leaky bucket may catch up, that of further keys fewer than overflow-permits; none
     *     unless set.
     * @param key Who a request counts for: 'none', 'address', 'principal', 'route', 'header:Name' or 'bean:name'.
     * @param withoutKey What happens to requests that have no key.
     * @param maximumKeys How many keys are kept at most; 100000 unless set.
     * @param overflowPermits How many permits all further keys share in each period, and of a token bucket the largest burst that
     *     they share; they are refused unless this is set.
     * @param queueLimit How many permits may be waited for; 1000 unless set.
     * @param queueOrder Who goes first among those that wait.
     * @param maxWait Longest wait; without a bound unless set.
     * @param waiting Whether requests wait for their turn rather than be refused.
     */
    public record Named(
            @Nullable String base,
            @Nullable LimitKind kind,
            @Nullable Integer permits,
            @Nullable Duration period,
            @Nullable LimitBackend backend,
            @Nullable Integer leaseAhead,
            @Nullable Integer segments,
            @Nullable Integer capacity,
            @Nullable Integer slack,
            @Nullable String key,
            @Nullable WithoutKey withoutKey,
            @Nullable Integer maximumKeys,
            @Nullable Integer overflowPermits,
            @Nullable Integer queueLimit,
            @Nullable QueueOrder queueOrder,
            @Nullable Duration maxWait,
            @Nullable Boolean waiting) {

        /** Fills in from another one what is not set here. */
        Named over(Named other) {
            return new Named(
                    base,
                    first(kind, other.kind),
                    first(permits, other.permits),
                    first(period, other.period),
                    first(backend, other.backend),
                    first(leaseAhead, other.leaseAhead),
                    first(segments, other.segments),
                    first(capacity, other.capacity),
                    first(slack, other.slack),
                    first(key, other.key),
                    first(withoutKey, other.withoutKey),
                    first(maximumKeys, other.maximumKeys),
                    first(overflowPermits, other.overflowPermits),
                    first(queueLimit, other.queueLimit),
                    first(queueOrder, other.queueOrder),
                    first(maxWait, other.maxWait),
                    first(waiting, other.waiting));
        }

        private static <T> @Nullable T first(@Nullable T own, @Nullable T inherited) {
            return own == null ? inherited : own;
        }
    }

    /**
     * Limits that all nodes share.
     *
     * @param enabled Whether limits are kept in Redis, unless they say otherwise.
     * @param client Name of the bean to connect by, a client of Lettuce or Spring Data's factory; only needed if there are several.
     * @param keyPrefix What the names of all keys begin with.
     * @param deadline How long an answer of Redis is waited for.
     * @param whenUnavailable What a node does while Redis does not answer: keep its own share, refuse, or allow.
     * @param expectedNodes How many nodes share the limits: what each divides them by to keep its own share.
     * @param leaseTime How long what a node holds of a limit of concurrency is believed to be in use without hearing from it.
     * @param keysPerCommand How many keys of one limit may go in one command; 1 behind a proxy that finds a server by the first key.
     */
    public record Redis(
            @DefaultValue("false") boolean enabled,
            @Nullable String client,
            @DefaultValue("weir") String keyPrefix,
            @DefaultValue("50ms") Duration deadline,
            @DefaultValue("local") Alone whenUnavailable,
            @DefaultValue("1") int expectedNodes,
            @DefaultValue("10s") Duration leaseTime,
            @DefaultValue("32") int keysPerCommand) {

        /** What a node does on its own: named as in {@code WhenUnavailable} of weir-redis, which may not be there. */
        public enum Alone {

            /** Keeps its share of the limit. */
            LOCAL,

            /** Refuses. */
            REFUSE,

            /** Grants. */
            ALLOW
        }
    }

    /**
     * Limits of incoming requests.
     *
     * @param enabled Whether requests are held against limits.
     * @param headers Which header fields tell clients about their limits.
     * @param trustedProxies Addresses and ranges of the proxies whose X-Forwarded-For is believed.
     * @param ipv6Prefix How many leading bits tell clients of IPv6 apart.
     * @param rules Which requests are held against which limits; all rules that match hold.
     */
    public record Http(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("none") HeaderStyle headers,
            @DefaultValue List<String> trustedProxies,
            @DefaultValue("64") int ipv6Prefix,
            @DefaultValue List<Rule> rules) {}

    /**
     * A rule.
     *
     * @param paths Patterns of paths, of which one must match.
     * @param methods HTTP methods, of which one must match, HEAD as if it were GET; all unless set.
     * @param limits Names of the quotas of clients: refusals are 429.
     * @param protect Names of the limits that protect this server: refusals are 503.
     * @param cost What a request costs, in permits.
     */
    public record Rule(
            @DefaultValue("/**") List<String> paths,
            @DefaultValue List<String> methods,
            @DefaultValue List<String> limits,
            @DefaultValue List<String> protect,
            @DefaultValue("1") int cost) {}
}
