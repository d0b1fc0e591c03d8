package dev.weir.benchmarks.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson, asynchronously: a client for each node, as it comes. */
final class RedissonLimits implements SharedLimits {

    private final List<RedissonClient> nodes = new ArrayList<>();
    private final Site site;

    RedissonLimits(Site site) {
        this.site = site;
        for (int node = 0; node < site.nodes(); node++) {
            Config config = new Config();
            config.useSingleServer()
                    .setAddress("redis://127.0.0.1:" + site.port())
                    .setDatabase(site.database());
            nodes.add(Redisson.create(config));
        }
    }

    @Override
    public Gate gate(int node, String key) {
        RRateLimiter limiter = nodes.get(node).getRateLimiter(key);
        boolean unused = limiter.trySetRate(RateType.OVERALL, site.permits(), site.period());
        return new Gate() {
            @Override
            public void ask(BiConsumer<@Nullable Boolean, @Nullable Throwable> told) {
                var unused = limiter.tryAcquireAsync().whenComplete(told);
            }

            @Override
            public CompletionStage<Boolean> await() {
                return limiter.acquireAsync().thenApply(served -> true);
            }
        };
    }

    @Override
    public void close() {
        nodes.forEach(RedissonClient::shutdown);
    }
}
