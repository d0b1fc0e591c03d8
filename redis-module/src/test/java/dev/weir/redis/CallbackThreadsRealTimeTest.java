package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Whatever users hand over is run by their own threads and those of the time source, never by those of the client. */
class CallbackThreadsRealTimeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Limit MANY = Limit.tokenBucket(1_000_000, 1_000_000, Duration.ofSeconds(1));

    private final ClientResources resources = Clients.resources();
    private final List<AutoCloseable> closing = new ArrayList<>();

    /** Which threads ran what. */
    private final Map<String, Set<String>> heard = new ConcurrentHashMap<>();

    private ServerProcess redis;

    @BeforeEach
    void start() {
        redis = ServerProcess.start();
        closing.add(() -> resources.shutdown(0, 1, TimeUnit.SECONDS).get());
        closing.add(redis);
    }

    @AfterEach
    void stop() throws Exception {
        for (int i = closing.size() - 1; i >= 0; i--) {
            closing.get(i).close();
        }
    }

    private RedisClient client(int port) {
        RedisClient client = Clients.of(resources, port, 1_000);
        closing.add(() -> client.shutdown(0, 1, TimeUnit.SECONDS));
        return client;
    }

    private RedisRateLimiters fleet(int port, Duration deadline, WhenUnavailable whenUnavailable) {
        RedisRateLimiters fleet = RedisRateLimiters.connect(
                client(port), RedisOptions.defaults().deadline(deadline).whenUnavailable(whenUnavailable));
        closing.add(fleet);
        return fleet;
    }

    private RedisRateLimiters fleet() {
        return fleet(redis.port(), PATIENCE, WhenUnavailable.REFUSE);
    }

    private void note(String what) {
        heard.computeIfAbsent(what, unused -> ConcurrentHashMap.newKeySet())
                .add(Thread.currentThread().getName());
    }

    private final class Noting implements RateLimiterObserver {

        @Override
        public void onAcquired(int permits, long waitedNanos) {
            note("observed: acquired");
        }

        @Override
        public void onQueued(int permits) {
            note("observed: queued");
        }

        @Override
        public void onRefused(int permits, RefusalReason reason) {
            note("observed: " + reason);
        }

        @Override
        public void onCancelled(int permits, long waitedNanos) {
            note("observed: cancelled");
        }
    }

    private static String said(Lease lease) {
        return lease.isAcquired() ? "granted" : lease.reason().orElseThrow().toString();
    }

    /** Asks both ways, and waits until both are answered. */
    private void ask(RateLimiter limiter, int permits) {
        askBoth(limiter, permits).join();
    }

    private CompletableFuture<Void> askBoth(RateLimiter limiter, int permits) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        limiter.acquire(permits, lease -> {
            note("told: " + said(lease));
            told.complete(null);
        });
        return limiter.acquire(permits)
                .thenAccept(lease -> note("stage: " + said(lease)))
                .thenCompose(unused -> told);
    }

    private void checkHeard(String... what) {
        assertThat(heard).containsKeys(what);
        assertThat(heard)
                .allSatisfy((each, threads) ->
                        assertThat(threads).as("threads that ran %s", each).noneMatch(Clients::isThread));
        assertThat(heard.values())
                .as("some came from the time source")
                .anyMatch(threads -> threads.stream().anyMatch(thread -> thread.startsWith("weir-worker-")));
    }

    @Test
    @DisplayName("the client's own callbacks are run by threads that are recognised here")
    void clientsAreRecognised() {
        try (StatefulRedisConnection<String, String> connection =
                client(redis.port()).connect()) {
            connection
                    .async()
                    .blpop(0.2, "nothing")
                    .thenAccept(unused -> note("reply"))
                    .toCompletableFuture()
                    .join();
        }
        assertThat(heard.get("reply")).allMatch(Clients::isThread);
    }

    @Test
    @DisplayName("grants with the answer and after a booking, refusals, cancels, evictions and the end")
    void whileTheServerAnswers() {
        RedisRateLimiters fleet = fleet();
        RateLimiter limiter = fleet.builder("answers", Limit.of(2, Duration.ofMillis(200)))
                .observer(new Noting())
                .build();
        ask(limiter, 1);
        ask(limiter, 1);
        checkHeard("told: granted", "stage: granted", "observed: acquired", "observed: queued");
        RateLimiter oldest = fleet.builder("oldest", Limit.of(1, Duration.ofMinutes(1)))
                .observer(new Noting())
                .queueLimit(6)
                .build();
        List<PermitRequest> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiting.add(oldest.acquire(1, lease -> note("told: " + said(lease))));
        }
        waiting.get(5).cancel();
        oldest.acquire(1, Duration.ofMillis(1), lease -> note("told: " + said(lease)));
        RateLimiter newest = fleet.builder("newest", Limit.of(1, Duration.ofMinutes(1)))
                .observer(new Noting())
                .queueOrder(QueueOrder.NEWEST_FIRST)
                .queueLimit(2)
                .build();
        for (int i = 0; i < 6; i++) {
            newest.acquire(1, lease -> note("told: " + said(lease)));
        }
        CompletableFuture<Void> waitingForEver = askBoth(newest, 1);
        fleet.close();
        waitingForEver.join();
        checkHeard("told: QUEUE_FULL", "told: EVICTED", "told: CLOSED", "observed: cancelled", "observed: EVICTED");
    }

    @Test
    @DisplayName("a permit of concurrency that another node has returned")
    void returnedElsewhere() {
        RateLimiter one = fleet().limiter("slot", Limit.concurrency(1));
        RateLimiter two = fleet().builder("slot", Limit.concurrency(1))
                .observer(new Noting())
                .build();
        Lease held = one.acquire().join();
        CompletableFuture<Void> told = new CompletableFuture<>();
        two.acquire(1, lease -> {
            note("told: " + said(lease));
            told.complete(null);
        });
        await().until(() -> two.statistics().queuedPermits() == 1);
        held.close();
        told.join();
        checkHeard("told: granted", "observed: acquired");
    }

    @Test
    @DisplayName("a deadline that passes, and what is decided without the server")
    void withoutAnAnswer() throws Exception {
        RateLimiter refusing = fleet(redis.port(), Duration.ofMillis(100), WhenUnavailable.REFUSE)
                .builder("refuse", MANY)
                .observer(new Noting())
                .build();
        RateLimiter local = fleet(redis.port(), Duration.ofMillis(100), WhenUnavailable.LOCAL)
                .builder("local", Limit.of(1, Duration.ofMillis(300)))
                .observer(new Noting())
                .build();
        RateLimiter allowing = fleet(redis.port(), Duration.ofMillis(100), WhenUnavailable.ALLOW)
                .builder("allow", MANY)
                .observer(new Noting())
                .build();
        redis.pause();
        closing.add(redis::goOn);
        for (int i = 0; i < 4; i++) {
            CompletableFuture.allOf(askBoth(refusing, 1), askBoth(local, 1), askBoth(allowing, 1))
                    .join();
        }
        checkHeard("told: BACKEND_UNAVAILABLE", "stage: granted", "told: granted", "observed: BACKEND_UNAVAILABLE");
    }

    @Test
    @DisplayName("a connection that is lost while an answer is waited for, and the one that comes after it")
    void aConnectionLost() throws IOException {
        FaultyProxy proxy = new FaultyProxy(redis.port());
        closing.add(proxy);
        RateLimiter limiter = fleet(proxy.port(), PATIENCE, WhenUnavailable.REFUSE)
                .builder("lost", MANY)
                .observer(new Noting())
                .build();
        await().until(() -> limiter.acquire().join().isAcquired());
        proxy.fault(FaultyProxy.Fault.STALL);
        CompletableFuture<Void> asked = askBoth(limiter, 1);
        proxy.reset(true);
        asked.join();
        checkHeard("told: BACKEND_UNAVAILABLE", "stage: BACKEND_UNAVAILABLE", "observed: BACKEND_UNAVAILABLE");
        proxy.fault(FaultyProxy.Fault.NONE);
        proxy.reset(false);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> limiter.acquire().join().isAcquired());
        checkHeard("observed: acquired");
    }
}
