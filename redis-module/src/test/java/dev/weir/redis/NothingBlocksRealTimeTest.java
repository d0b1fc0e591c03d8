package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Under BlockHound, as all tests here: neither the client's event loops block, nor those of who uses us. */
class NothingBlocksRealTimeTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit MANY = Limit.tokenBucket(1_000_000, 1_000_000, Duration.ofSeconds(1));

    private final ClientResources resources = Clients.resources();
    private final ExecutorService eventLoop =
            Executors.newSingleThreadExecutor(task -> new Thread(task, BlockingTools.EVENT_LOOP));
    private ServerProcess redis;
    private RedisClient client;

    @BeforeEach
    void start() {
        redis = ServerProcess.start();
        client = Clients.of(resources, redis.port(), 10_000);
    }

    @AfterEach
    void stop() throws Exception {
        eventLoop.shutdownNow();
        client.shutdown(0, 1, TimeUnit.SECONDS);
        resources.shutdown(0, 1, TimeUnit.SECONDS).get();
        redis.close();
    }

    private RedisRateLimiters fleet(Duration deadline) {
        return RedisRateLimiters.connect(
                client, RedisOptions.defaults().deadline(deadline).whenUnavailable(WhenUnavailable.REFUSE));
    }

    private void onTheEventLoop(Runnable what) {
        CompletableFuture.runAsync(what, eventLoop).join();
    }

    private static void block() {
        try {
            boolean unused = new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @DisplayName("blocking is seen, on either")
    void blockingIsSeen() {
        CompletableFuture<Void> ours = CompletableFuture.runAsync(NothingBlocksRealTimeTest::block, eventLoop);
        await().until(ours::isDone);
        assertThat(BlockingTools.seen()).hasSize(1);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            CompletableFuture<Void> theirs = connection
                    .async()
                    .blpop(0.2, "nothing")
                    .thenAccept(unused -> block())
                    .toCompletableFuture();
            await().until(theirs::isDone);
        }
        assertThat(BlockingTools.seen()).hasSize(1);
    }

    @Test
    @DisplayName("a lock of the client that is held just then is waited for")
    void aLockOfTheClient() {
        Partitions ofTheClient = new Partitions();
        CompletableFuture<Thread> second = new CompletableFuture<>();
        CompletableFuture<Void> later = new CompletableFuture<>();
        ofTheClient.addAll(new ArrayList<RedisClusterNode>() {
            /** Called under the lock. */
            @Override
            public Object[] toArray() {
                eventLoop.execute(() -> {
                    second.complete(Thread.currentThread());
                    ofTheClient.updateCache();
                    later.complete(null);
                });
                Thread held = second.join();
                await().until(() -> held.getState() == Thread.State.WAITING);
                assertThat(later).isNotDone();
                return super.toArray();
            }
        });
        later.join();
        assertThat(BlockingTools.seen()).isEmpty();
    }

    @Test
    @DisplayName("everything that can be asked, by an event loop, for kinds of limits that no script was made of yet")
    void everythingThereIs() {
        RedisRateLimiters fleet = fleet(Duration.ofSeconds(10));
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        onTheEventLoop(() -> {
            PartitionedRateLimiter<String> keyed =
                    fleet.partitioned("keyed", Limit.allOf(Limit.concurrency(5), Limit.fixedWindow(9, HOUR)));
            RateLimiter limiter = fleet.limiter("one", Limit.of(5, HOUR));
            for (int i = 0; i < 20; i++) {
                asked.add(keyed.acquire("key " + i, 1));
                asked.add(limiter.acquire());
                Lease tried = keyed.tryAcquire("key " + i, 1);
                tried.close();
            }
            limiter.charge(3);
            limiter.availablePermits();
            limiter.reconfigure(Limit.of(9, HOUR));
            limiter.pauseFor(Duration.ofMillis(1));
            asked.get(15).cancel(false);
            limiter.statistics();
        });
        await().until(() -> asked.get(0).isDone());
        onTheEventLoop(() -> {
            asked.get(0).join().settle(0);
            asked.get(0).join().close();
            fleet.close();
        });
        assertThat(asked.get(0).join().source()).isEqualTo(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("crowds at a server that answers, forgets its scripts, hangs and goes on")
    void crowds() throws Exception {
        try (RedisRateLimiters fleet = fleet(Duration.ofSeconds(10));
                ScriptHost host = new ScriptHost("127.0.0.1", redis.port())) {
            PartitionedRateLimiter<String> keyed = fleet.partitioned("crowd", MANY);
            for (int round = 0; round < 10; round++) {
                host.jedis().scriptFlush();
                List<CompletableFuture<Lease>> asked = new ArrayList<>();
                onTheEventLoop(() -> {
                    for (int i = 0; i < 500; i++) {
                        asked.add(keyed.acquire("key " + i % 50, 1));
                    }
                });
                assertThat(asked)
                        .allSatisfy(each -> assertThat(each.join().source()).isEqualTo(DecisionSource.REMOTE));
            }
        }
        try (RedisRateLimiters fleet = fleet(Duration.ofMillis(50))) {
            RateLimiter limiter = fleet.limiter("hangs", MANY);
            redis.pause();
            for (int i = 0; i < 10; i++) {
                CompletableFuture<Lease> asked = new CompletableFuture<>();
                onTheEventLoop(() -> limiter.acquire(1, asked::complete));
                assertThat(asked.join().isAcquired()).isFalse();
            }
            redis.goOn();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> limiter.acquire().join().isAcquired());
        }
    }
}
