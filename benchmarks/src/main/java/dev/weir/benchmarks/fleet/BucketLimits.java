package dev.weir.benchmarks.fleet;

import dev.weir.benchmarks.Timers;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce.LettuceBasedProxyManagerBuilder;
import io.github.bucket4j.redis.lettuce.RedisApi;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Bucket4j on Lettuce, asynchronously: one connection for each node, and a bucket for each key that is kept. */
final class BucketLimits implements SharedLimits {

    private static final Duration KEPT_LONGER = Duration.ofSeconds(10);
    private static final ScheduledExecutorService TIMER = Timers.daemon();

    private final RedisClient client;
    private final List<AsyncProxyManager<String>> nodes = new ArrayList<>();
    private final BucketConfiguration configuration;
    private final Optimization optimization;
    private final LongAdder gets = new LongAdder();

    private BucketLimits(Site site, Optimization optimization) {
        this.client = Lettuce.client(site.port(), site.database());
        for (int node = 0; node < site.nodes(); node++) {
            var connection = client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
            nodes.add(new LettuceBasedProxyManagerBuilder<>(counting(connection.async()))
                    .expirationAfterWrite(
                            ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(KEPT_LONGER))
                    .build()
                    .asAsync());
        }
        this.configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(site.permits()).refillGreedy(site.permits(), site.period()))
                .build();
        this.optimization = optimization;
    }

    static SharedLimits plain(Site site) {
        return new BucketLimits(site, Optimization.NONE_OPTIMIZED);
    }

    /** What is asked for on a node while an answer is under way is asked for together. */
    static SharedLimits batching(Site site) {
        return new BucketLimits(site, Optimizations.batching());
    }

    /** As {@link Bucket4jLettuce#casBasedBuilder}, and counts. */
    private <K> RedisApi<K> counting(RedisAsyncCommands<K, byte[]> commands) {
        return new RedisApi<>() {
            @Override
            public <V> RedisFuture<V> eval(String script, ScriptOutputType type, K[] keys, byte[][] arguments) {
                return commands.eval(script, type, keys, arguments);
            }

            @Override
            public RedisFuture<byte[]> get(K key) {
                gets.increment();
                return commands.get(key);
            }

            @Override
            @SuppressWarnings("unchecked") // An array of one key, which only its callee sees.
            public RedisFuture<?> delete(K key) {
                return commands.del(key);
            }
        };
    }

    @Override
    public long tripsBesideScripts() {
        return gets.sum();
    }

    @Override
    public Gate gate(int node, String key) {
        AsyncBucketProxy bucket = nodes.get(node)
                .builder()
                .withOptimization(optimization)
                .build(key, () -> CompletableFuture.completedFuture(configuration));
        return new Gate() {
            @Override
            public void ask(BiConsumer<@Nullable Boolean, @Nullable Throwable> told) {
                var unused = bucket.tryConsume(1).whenComplete(told);
            }

            @Override
            public CompletionStage<Boolean> await() {
                return bucket.asScheduler().consume(1, TIMER).thenApply(served -> true);
            }
        };
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
