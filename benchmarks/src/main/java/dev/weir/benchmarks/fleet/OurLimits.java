package dev.weir.benchmarks.fleet;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.redis.RedisOptions;
import dev.weir.redis.RedisRateLimiters;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The limiters of this library: one connection for each node, and a limiter for each key. */
final class OurLimits implements SharedLimits {

    /** Longer than any answer takes, so that it is always the server that decides; peers wait longer still. */
    private static final Duration DEADLINE = Duration.ofSeconds(2);

    /** Of so many permits one is leased ahead, up to a bound. */
    private static final int PART_AHEAD = 10;

    private static final int MOST_AHEAD = 10_000;

    private final RedisClient client;
    private final List<RedisRateLimiters> nodes = new ArrayList<>();
    private final List<PartitionedRateLimiter<String>> limiters = new ArrayList<>();

    private OurLimits(Site site, Limit limit, int leaseAhead) {
        this.client = Lettuce.client(site.port(), site.database());
        RedisOptions options = RedisOptions.defaults()
                .deadline(DEADLINE)
                .expectedNodes(site.nodes())
                .leaseAhead(leaseAhead);
        for (int node = 0; node < site.nodes(); node++) {
            RedisRateLimiters made = RedisRateLimiters.connect(client, options);
            nodes.add(made);
            limiters.add(made.partitioned("ours", limit));
        }
    }

    static SharedLimits exact(Site site) {
        return new OurLimits(site, Limit.of(site.permits(), site.period()), 0);
    }

    static SharedLimits tokens(Site site) {
        return new OurLimits(site, Limit.tokenBucket(site.permits(), site.permits(), site.period()), 0);
    }

    static SharedLimits exactAhead(Site site) {
        return new OurLimits(site, Limit.of(site.permits(), site.period()), leasedAhead(site));
    }

    static int leasedAhead(Site site) {
        return Math.max(1, Math.min(MOST_AHEAD, site.permits() / PART_AHEAD));
    }

    @Override
    public Gate gate(int node, String key) {
        RateLimiter limiter = limiters.get(node).forKey(key);
        return new Gate() {
            @Override
            public void ask(BiConsumer<@Nullable Boolean, @Nullable Throwable> told) {
                limiter.acquire(1, DEADLINE, lease -> answer(lease, told));
            }

            @Override
            public CompletionStage<Boolean> await() {
                CompletableFuture<Boolean> answer = new CompletableFuture<>();
                limiter.acquire(1, lease -> answer(lease, Gate.completing(answer)));
                return answer;
            }
        };
    }

    private static void answer(Lease lease, BiConsumer<@Nullable Boolean, @Nullable Throwable> told) {
        if (lease.source() == DecisionSource.REMOTE) {
            told.accept(lease.isAcquired(), null);
        } else {
            told.accept(null, new IllegalStateException("the server did not decide"));
        }
    }

    @Override
    public void close() {
        nodes.forEach(RedisRateLimiters::close);
        client.shutdown();
    }
}
