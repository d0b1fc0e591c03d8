package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.redis.RedisOptions;
import dev.weir.redis.RedisRateLimiters;
import dev.weir.redis.WhenUnavailable;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Creates limiters that all nodes share for limits with the backend Redis, and local limiters for all others. */
final class RedisLimiters implements LimiterFactory, AutoCloseable {

    private final LimiterFactory local;
    private final LimiterWatch watch;
    private final RedisClients.Found found;
    private final RedisOptions options;

    /** By {@code leaseAhead}, which is a setting of a connection and so the same for all its limiters. */
    private final Map<Integer, RedisRateLimiters> fleets = new ConcurrentHashMap<>();

    RedisLimiters(WeirProperties properties, RedisClients clients, LimiterWatch watch) {
        this.local = new LocalLimiters(watch);
        this.watch = watch;
        this.options = options(properties.redis());
        this.found = clients.find(properties.redis().client());
    }

    static RedisOptions options(WeirProperties.Redis redis) {
        RedisOptions options = RedisOptions.defaults()
                .whenUnavailable(WhenUnavailable.valueOf(redis.whenUnavailable().name()));
        options = set("key-prefix", redis.keyPrefix(), options::keyPrefix);
        options = set("deadline", redis.deadline(), options::deadline);
        options = set("expected-nodes", redis.expectedNodes(), options::expectedNodes);
        options = set("lease-time", redis.leaseTime(), options::leaseTime);
        return set("keys-per-command", redis.keysPerCommand(), options::keysPerCommand);
    }

    private static <T> RedisOptions set(String setting, T value, Function<T, RedisOptions> setter) {
        try {
            return setter.apply(value);
        } catch (IllegalArgumentException senseless) {
            throw new InvalidLimitException("weir.redis." + setting, "is wrong: " + senseless.getMessage());
        }
    }

    /** Connects, blocking. All connections are opened when the application starts, as {@code leaseAhead} never changes. */
    private RedisRateLimiters connect(int leaseAhead) {
        RedisOptions all = options.leaseAhead(leaseAhead);
        return found.client() instanceof RedisClusterClient cluster
                ? RedisRateLimiters.connect(cluster, all)
                : RedisRateLimiters.connect((RedisClient) found.client(), all);
    }

    @Override
    public RateLimiter limiter(LimitDefinition definition) {
        return definition.backend() == LimitBackend.LOCAL
                ? local.limiter(definition)
                : definition.build(fleetOf(definition).builder(definition.name(), definition.limit()), watch);
    }

    @Override
    public PartitionedRateLimiter<String> partitioned(LimitDefinition definition) {
        return definition.backend() == LimitBackend.LOCAL
                ? local.partitioned(definition)
                : definition.build(
                        fleetOf(definition).partitionedBuilder(definition.name(), key -> definition.limit()), watch);
    }

    private RedisRateLimiters fleetOf(LimitDefinition definition) {
        return fleets.computeIfAbsent(definition.leaseAhead(), this::connect);
    }

    /** Whether the client is that of Spring Data, and shut down before beans are destroyed. */
    boolean useSpringData() {
        return found.isOfSpringData();
    }

    /** Closes the connections that were opened here; the client stays open. */
    @Override
    public void close() {
        Closing.each(fleets.values().stream().map(fleet -> fleet::close));
    }
}
