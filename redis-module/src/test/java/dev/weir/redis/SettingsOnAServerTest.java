package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is set on a builder holds for what it builds: a limiter, or those of the keys. */
class SettingsOnAServerTest extends NodeOnAServer {

    private static final Limit LIMIT = Limit.of(1, HOUR);

    private RateLimiter.Builder one() {
        return fleet.builder("one", LIMIT).timeSource(time);
    }

    private PartitionedRateLimiter.Builder<String> many() {
        return fleet.partitionedBuilder("many", key -> LIMIT).timeSource(time);
    }

    private static List<RateLimiter> both(RateLimiter one, PartitionedRateLimiter<String> many) {
        return List.of(one, many.forKey("key"));
    }

    /** Takes the permit and returns a request for another. */
    private static CompletableFuture<Lease> second(RateLimiter limiter) {
        assertThat(limiter.acquire()).isCompletedWithValueMatching(Lease::isAcquired);
        return limiter.acquire();
    }

    private static void checkRefused(CompletableFuture<Lease> request, RefusalReason reason) {
        assertThat(request).isDone();
        assertThat(request.join().reason()).contains(reason);
    }

    @Test
    @DisplayName("the name, which is not that of the limit in the store")
    void name() {
        for (RateLimiter limiter :
                both(one().name("shown").build(), many().name("shown").build())) {
            assertThat(limiter.name()).isEqualTo("shown");
            assertThat(limiter.acquire()).isCompletedWithValueMatching(Lease::isAcquired);
        }
        assertThat(host.jedis().keys("*")).containsExactlyInAnyOrder("weir:v1:{one}:log", "weir:v1:{many:key}:log");
    }

    @Test
    @DisplayName("the room of the queue")
    void queueLimit() {
        for (RateLimiter limiter :
                both(one().queueLimit(1).build(), many().queueLimit(1).build())) {
            CompletableFuture<Lease> waiting = second(limiter);
            checkRefused(limiter.acquire(), RefusalReason.QUEUE_FULL);
            assertThat(waiting).isNotDone();
        }
    }

    @Test
    @DisplayName("the order of the queue")
    void queueOrder() {
        QueueOrder order = QueueOrder.NEWEST_FIRST;
        for (RateLimiter limiter : both(
                one().queueLimit(1).queueOrder(order).build(),
                many().queueLimit(1).queueOrder(order).build())) {
            CompletableFuture<Lease> waiting = second(limiter);
            assertThat(limiter.acquire()).isNotDone();
            checkRefused(waiting, RefusalReason.EVICTED);
        }
    }

    @Test
    @DisplayName("the order of the queue: of newest first, too, nobody is refused while the answer is on its way")
    void queueOrderOnTheWay() {
        ManualCommands slow = new ManualCommands(commands);
        RedisRateLimiters distant = Nodes.on(slow, RedisOptions.defaults());
        QueueOrder order = QueueOrder.NEWEST_FIRST;
        Duration bound = Duration.ofMillis(1);
        for (RateLimiter limiter : both(
                distant.builder("one", LIMIT)
                        .timeSource(time)
                        .queueOrder(order)
                        .maxWait(bound)
                        .build(),
                distant.partitionedBuilder("many", key -> LIMIT)
                        .timeSource(time)
                        .queueOrder(order)
                        .maxWait(bound)
                        .build())) {
            CompletableFuture<Lease> asked = limiter.acquire();
            assertThat(asked).isNotDone();
            slow.answerAll();
            time.advanceBy(Duration.ZERO);
            assertThat(asked).isCompletedWithValueMatching(Lease::isAcquired);
        }
    }

    @Test
    @DisplayName("the longest wait")
    void maxWait() {
        Duration bound = HOUR.dividedBy(2);
        for (RateLimiter limiter :
                both(one().maxWait(bound).build(), many().maxWait(bound).build())) {
            checkRefused(second(limiter), RefusalReason.MAX_WAIT);
        }
    }

    @Test
    @DisplayName("the clock")
    void timeSource() {
        for (RateLimiter limiter : both(one().build(), many().build())) {
            CompletableFuture<Lease> waiting = second(limiter);
            time.advanceBy(HOUR.dividedBy(2));
            assertThat(waiting).isNotDone();
            time.advanceBy(HOUR.dividedBy(2));
            assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
            assertThat(time.pendingTasks()).isZero();
        }
    }

    @Test
    @DisplayName("the observer, which hears of all that happens")
    void observer() {
        List<String> heard = new ArrayList<>();
        RateLimiterObserver observer = noting(heard);
        for (RateLimiter limiter : both(
                one().queueLimit(1).observer(observer).build(),
                many().queueLimit(1).observer(observer).build())) {
            heard.clear();
            CompletableFuture<Lease> waiting = second(limiter);
            checkRefused(limiter.acquire(), RefusalReason.QUEUE_FULL);
            waiting.cancel(false);
            assertThat(heard).containsExactly("acquired 1", "queued 1", "refused 1: QUEUE_FULL", "cancelled 1");
        }
    }

    private static RateLimiterObserver noting(List<String> heard) {
        return new RateLimiterObserver() {

            @Override
            public void onAcquired(int permits, long waitedNanos) {
                heard.add("acquired " + permits);
            }

            @Override
            public void onQueued(int permits) {
                heard.add("queued " + permits);
            }

            @Override
            public void onRefused(int permits, RefusalReason reason) {
                heard.add("refused " + permits + ": " + reason);
            }

            @Override
            public void onCancelled(int permits, long waitedNanos) {
                heard.add("cancelled " + permits);
            }
        };
    }

    @Test
    @DisplayName("but the policies are set")
    void policies() {
        assertThatThrownBy(() -> one().policies((limit, key, now) -> limit.newPolicy(now)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> many().policies((limit, key, now) -> limit.newPolicy(now)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
