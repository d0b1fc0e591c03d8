package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Permits that are fetched for a try, or ahead, from a server: how long they are kept, and that others get what nobody uses. */
class FetchedPermitsOnAServerTest extends NodeOnAServer {

    private static final Duration NANO = Duration.ofNanos(1);

    @Test
    @DisplayName("permits that a try has fetched are good for 100 ms, and go back after that")
    void fetched() {
        PermitsInHand hand = new PermitsInHand(Limit.of(5, HOUR));
        hand.fetch(1);
        time.advanceBy(Duration.ofMillis(100));
        assertThat(hand.limiter.tryAcquire().isAcquired()).isTrue();
        hand.fetch(1);
        time.advanceBy(Duration.ofMillis(100).plus(NANO));
        assertThat(hand.limiter.tryAcquire().isAcquired()).isFalse();
        assertThat(ServerGrants.undone(hand.held.asked.get(hand.held.asked.size() - 1)))
                .startsWith("1:");
    }

    /** A limiter whose tries are refused first, as the answer comes later. */
    private final class PermitsInHand {

        private final ManualCommands held = new ManualCommands(new JedisCommands(host));
        private final RateLimiter limiter;

        PermitsInHand(Limit limit) {
            limiter = Nodes.on(held, RedisOptions.defaults())
                    .builder("hand", limit)
                    .timeSource(time)
                    .build();
        }

        void fetch(int permits) {
            assertThat(limiter.tryAcquire(permits).isAcquired()).isFalse();
            held.answer();
        }
    }

    @Test
    @DisplayName("a permit of concurrency that a try has fetched, and nobody came back for, is free for others")
    void fetchedForNobody() {
        Limit slot = Limit.concurrency(1);
        ManualCommands held = new ManualCommands(new JedisCommands(host));
        RateLimiter limiter = Nodes.on(held, RedisOptions.defaults())
                .builder("manners", slot)
                .timeSource(time)
                .build();
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
        held.answer();
        assertThat(elsewhere(slot).tryAcquire().isAcquired()).isFalse();
        for (int i = 0; i < 10; i++) {
            time.advanceBy(Duration.ofMillis(100));
            held.answerAll();
        }
        assertThat(elsewhere(slot).tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a permit fetched for a refused try, or a request that left, is free for others soon")
    void fetchedForNobodyOfAWindow() {
        for (Limit limit : List.of(
                Limit.of(4, HOUR), Limit.tokenBucket(4, 1, HOUR), Limit.fixedWindow(4, HOUR), Limit.concurrency(4))) {
            for (boolean isTry : List.of(true, false)) {
                host.flush();
                ManualCommands held = new ManualCommands(new JedisCommands(host));
                RateLimiter limiter = Nodes.on(held, RedisOptions.defaults())
                        .builder("manners", limit)
                        .timeSource(time)
                        .build();
                if (isTry) {
                    assertThat(limiter.tryAcquire(3).isAcquired()).isFalse();
                } else {
                    assertThat(limiter.acquire(3, lease -> {}).cancel()).isTrue();
                }
                held.answer();
                for (int i = 0; i < 5; i++) {
                    time.advanceBy(Duration.ofMillis(40));
                    held.answerAll();
                }
                assertThat(elsewhere(limit).tryAcquire(4).isAcquired())
                        .as("%s, for a try: %s", limit, isTry)
                        .isTrue();
                assertThat(limit.newPolicy(0).returnsOnRelease() || time.pendingTasks() == 0)
                        .isTrue();
            }
        }
    }

    @Test
    @DisplayName("a permit too few for a try is free soon, while a question waits for more requests")
    void tooFewForATry() {
        ManualCommands held = new ManualCommands(new JedisCommands(host));
        RateLimiter limiter = Nodes.on(held, RedisOptions.defaults())
                .builder("manners", Limit.of(6, HOUR))
                .timeSource(time)
                .build();
        CompletableFuture<Lease> before = limiter.acquire();
        CompletableFuture<Lease> first = limiter.acquire(2);
        CompletableFuture<Lease> leaving = limiter.acquire(2);
        CompletableFuture<Boolean> tried =
                first.thenApply(lease -> limiter.tryAcquire(3).isAcquired());
        held.answer();
        time.advanceBy(NANO);
        leaving.cancel(false);
        for (int i = 0; i < 5; i++) {
            held.answerAll();
            time.advanceBy(Duration.ofMillis(40));
        }
        assertThat(before).isDone();
        assertThat(tried).isCompletedWithValue(false);
        assertThat(ServerGrants.undone(held.asked.get(held.asked.size() - 1))).startsWith("2:");
        assertThat(limiter.availablePermits()).isEqualTo(3);
    }

    @Test
    @DisplayName("a request larger than the lease ahead has nothing fetched beside it")
    void nothingAheadOfLargeRequests() {
        Limit window = Limit.of(10, HOUR);
        Limit bucket = Limit.tokenBucket(10, 10, HOUR);
        for (Limit limit : List.of(window, bucket, Limit.allOf(window, bucket))) {
            host.flush();
            RateLimiter limiter = Nodes.on(
                            new JedisCommands(host), RedisOptions.defaults().leaseAhead(2))
                    .builder("manners", limit)
                    .timeSource(time)
                    .build();
            assertThat(limiter.tryAcquire(4).isAcquired()).as("%s", limit).isTrue();
            assertThat(elsewhere(limit).tryAcquire(6).isAcquired())
                    .as("%s", limit)
                    .isTrue();
        }
    }
}
