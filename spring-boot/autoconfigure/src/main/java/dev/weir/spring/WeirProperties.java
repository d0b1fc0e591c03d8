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
 * The configuration of an application's limits.
 *
 * @param enabled Whether limits are set up at all.
 * @param limits Limits by name.
 * @param redis Settings of limits that all nodes share through Redis.
 * @param http Settings of limits for incoming requests.
 */
@ConfigurationProperties("weir")
public record WeirProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue Map<String, Named> limits,
        @DefaultValue Redis redis,
        @DefaultValue Http http) {

    /**
     * A named limit.
     *
     * @param base Name of the limit from which all settings that are not set here are inherited.
     * @param kind Kind of the limit; an exact sliding window by default.
     * @param permits Number of permits per period, or of concurrent requests for a concurrency limit.
     * @param period Length of the period.
     * @param backend Where the permits are kept; by default in Redis if weir.redis.enabled is true, otherwise in this JVM.
     * @param leaseAhead Number of permits that each node takes from Redis in advance, to grant them without asking it; default 0.
     * @param segments Number of segments into which a segmented sliding window is divided; default 10.
     * @param capacity Largest burst of a token bucket, for each key if there is a key; by default equal to permits.
     * @param slack Number of delayed permits that a leaky bucket may catch up, always fewer than overflow-permits for the keys
     *     beyond maximum-keys; default 0.
     * @param key Key by which requests are counted: 'none', 'address', 'principal', 'route', 'header:Name' or 'bean:name'.
     * @param withoutKey What happens to requests that have no key; by default they share one limit.
     * @param maximumKeys Largest number of keys that are kept; default 100000.
     * @param overflowPermits Number of permits per period, and largest burst of a token bucket, that all keys beyond maximum-keys
     *     share; if not set, requests with such keys are refused.
     * @param queueLimit Largest total number of permits, not of requests, that waiting requests may ask for, in Redis also those that
     *     wait for its answer; default 1000.
     * @param queueOrder Which of the waiting requests is granted first; by default the oldest.
     * @param maxWait Longest time that a request may wait; unbounded by default.
     * @param waiting Whether requests wait for permits rather than being refused; default false.
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

        /** Returns these settings, with those that are not set taken from another limit. */
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
     * Settings of limits that all nodes share through Redis.
     *
     * @param enabled Whether limits are kept in Redis, unless they set another backend.
     * @param client Name of the Lettuce client bean or Spring Data connection factory to use; only needed if there are several.
     * @param keyPrefix Prefix of all key names in Redis.
     * @param deadline How long to wait for an answer of Redis.
     * @param whenUnavailable What a node does while Redis does not answer: enforce its own share of the limit, refuse, or allow.
     * @param expectedNodes Number of nodes that share the limits, by which each node divides them to determine its own share.
     * @param leaseTime How long permits of a concurrency limit stay taken after the node that holds them was last heard from.
     * @param keysPerCommand Largest number of keys of one limit in one command; 1 behind a proxy that routes by the first key.
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

        /** What a node does without Redis; as {@code WhenUnavailable} of weir-redis, which may not be on the class path. */
        public enum Alone {

            /** Enforces its own share of the limit. */
            LOCAL,

            /** Refuses all requests. */
            REFUSE,

            /** Grants all requests. */
            ALLOW
        }
    }

    /**
     * Settings of limits for incoming requests.
     *
     * @param enabled Whether limits are applied to incoming requests.
     * @param headers Which header fields inform clients about their limits.
     * @param trustedProxies Addresses and ranges of the proxies whose X-Forwarded-For is trusted.
     * @param ipv6Prefix Number of leading bits that distinguish IPv6 clients.
     * @param rules Which requests are held against which limits; all rules that match a request apply.
     */
    public record Http(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("none") HeaderStyle headers,
            @DefaultValue List<String> trustedProxies,
            @DefaultValue("64") int ipv6Prefix,
            @DefaultValue List<Rule> rules) {}

    /**
     * A rule that applies limits to some requests.
     *
     * @param paths Path patterns, of which one must match.
     * @param methods HTTP methods, of which one must match, where GET includes HEAD; all by default.
     * @param limits Names of limits that are quotas of clients, whose refusals have status 429.
     * @param protect Names of limits that protect this server, whose refusals have status 503.
     * @param cost Number of permits that a request costs, at least 1.
     */
    public record Rule(
            @DefaultValue("/**") List<String> paths,
            @Nullable List<String> methods,
            @DefaultValue List<String> limits,
            @DefaultValue List<String> protect,
            @DefaultValue("1") int cost) {}
}
