package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When to come back, as refusals say it while an answer is on its way, in virtual time. */
class RetryAfterDuringTripTest {

    private static final Duration DEADLINE = Duration.ofMillis(50);
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final Limit limit = Limit.of(5, PERIOD);
    private final ManualStore store = new ManualStore(new ModelStore(limit, time));

    private RateLimiter.Builder builder(Duration deadline) {
        return builder(deadline, limit, store);
    }

    private RateLimiter.Builder builder(Duration deadline, Limit limit, Store store) {
        NodeSettings settings =
                new TestSettings().deadlineNanos(deadline.toNanos()).build();
        return ModelFleet.builder(limit, store, settings).timeSource(time);
    }

    @Test
    @DisplayName("a caller that comes back when told is served, whenever the answer came")
    void whoTries() {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            Duration deadline = Duration.ofMillis(50 + random.nextInt(2) * 2_000);
            RateLimiter limiter = builder(deadline).build();
            Lease refused = limiter.tryAcquire(1 + random.nextInt(2));
            assertThat(refused.isAcquired()).isFalse();
            Duration told = refused.retryAfter().orElseThrow();
            Duration answered = Duration.ofMillis(random.nextInt((int) told.toMillis()));
            time.advanceBy(answered);
            store.answerAll();
            time.advanceBy(told.minus(answered));
            Lease again = limiter.tryAcquire(refused.permits());
            assertThat(again.isAcquired()).as("seed %d", seed).isTrue();
            assertThat(again.source()).isEqualTo(DecisionSource.REMOTE);
            time.advanceBy(PERIOD);
        }
    }

    @Test
    @DisplayName("a caller that keeps asking is told the rest of the same time")
    void whoKeepsAsking() {
        RateLimiter limiter = builder(DEADLINE).build();
        for (int waited = 0; waited < DEADLINE.toMillis(); waited++) {
            assertThat(limiter.tryAcquire().retryAfter()).contains(DEADLINE.minusMillis(waited));
            time.advanceBy(Duration.ofMillis(1));
        }
        assertThat(store.asked).hasSize(1);
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
    }

    @Test
    @DisplayName("a distant store's permits are kept from the answer on, and the time told includes it")
    void distantStore() {
        Duration distance = Duration.ofMillis(200);
        RateLimiter limiter = builder(Duration.ofMillis(500)).build();
        for (boolean isKnown : new boolean[] {false, true}) {
            Lease refused = limiter.tryAcquire();
            time.advanceBy(distance);
            store.answerAll();
            if (isKnown) {
                assertThat(refused.retryAfter()).contains(distance.plusMillis(50));
                time.advanceBy(Duration.ofMillis(50));
            }
            assertThat(limiter.tryAcquire().isAcquired()).isTrue();
        }
    }

    @Test
    @DisplayName("a caller that comes back when the answer is overdue is not told to do so at once again")
    void overdue() {
        Duration[] late = {Duration.ZERO};
        RateLimiter limiter = builder(DEADLINE)
                .timeSource(new TimeSource() {
                    @Override
                    public long nanoTime() {
                        return time.nanoTime() + late[0].toNanos();
                    }

                    @Override
                    public Cancellable schedule(Runnable task, long delayNanos) {
                        return time.schedule(task, delayNanos);
                    }
                })
                .build();
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
        for (Duration overdue : new Duration[] {DEADLINE.minusNanos(1), DEADLINE, DEADLINE.multipliedBy(3)}) {
            late[0] = overdue;
            assertThat(limiter.tryAcquire().retryAfter()).contains(Duration.ofMillis(1));
        }
    }

    @Test
    @DisplayName("a request refused more than others is told when that much is available, without asking")
    void moreThanOthers() {
        for (Limit kept : List.of(
                Limit.tokenBucket(10, 10, PERIOD),
                Limit.tokenBucket(7, 3, PERIOD),
                Limit.leakyBucket(9, PERIOD),
                Limit.fixedWindow(10, PERIOD),
                Limit.of(10, PERIOD))) {
            for (int permits = 2; permits <= kept.capacity(); permits++) {
                moreThanOthers(kept, permits);
            }
        }
    }

    private void moreThanOthers(Limit kept, int permits) {
        ModelStore model = new ModelStore(kept, time);
        ManualStore held = new ManualStore(model);
        RateLimiter limiter = builder(DEADLINE, kept, held).build();
        CompletableFuture<Lease> all = limiter.acquire(kept.capacity());
        held.answerAll();
        time.advanceBy(Duration.ofMillis(1));
        assertThat(all).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
        held.answerAll();
        int asked = held.asked.size();
        Duration told = limiter.tryAcquire(permits).retryAfter().orElseThrow();
        assertThat(held.asked).hasSize(asked);
        Duration exact = Duration.ofNanos(model.policy().nanosUntil(0, permits, time.nanoTime()));
        assertThat(told).as("%d of %s", permits, kept).isBetween(exact, exact.plusNanos(2));
    }

    @Test
    @DisplayName("while this node merely looks it is idle, and who is refused for that is told when to come back")
    void whileItLooks() {
        RateLimiter limiter = builder(DEADLINE).build();
        assertThat(limiter.availablePermits()).isEqualTo(5);
        assertThat(store.underWay()).isOne();
        assertThat(limiter.idleDuration()).isPresent();
        assertThat(limiter.tryAcquire().retryAfter()).contains(DEADLINE);
    }

    @Test
    @DisplayName(
            "an answer that comes while a try is being refused is found by it: there is none without a time to come back")
    void answeredWhileRefused() throws InterruptedException {
        Limit plenty = Limit.of(1_000_000, PERIOD);
        ManualStore held = new ManualStore(new ModelStore(plenty, time));
        RateLimiter limiter = builder(DEADLINE, plenty, held).build();
        int rounds = 5_000;
        AtomicInteger asked = new AtomicInteger();
        Thread answering = new Thread(() -> {
            for (int round = 1; round <= rounds; round++) {
                while (asked.get() < round) {
                    Thread.onSpinWait();
                }
                held.answer();
            }
        });
        answering.start();
        for (int round = 1; round <= rounds; round++) {
            Lease lease = limiter.tryAcquire();
            assertThat(lease.isAcquired()).isFalse();
            asked.set(round);
            while (!lease.isAcquired()) {
                assertThat(lease.retryAfter()).as("round %d", round).isPresent();
                lease = limiter.tryAcquire();
            }
        }
        answering.join();
    }

    @Test
    @DisplayName("a request refused while the answer is on its way is told no time rather than a wrong one")
    void noTime() {
        RateLimiter narrow = builder(DEADLINE).queueLimit(0).build();
        Lease full = narrow.acquire().join();
        assertThat(full.reason()).contains(RefusalReason.QUEUE_FULL);
        assertThat(full.retryAfter()).isEmpty();

        store.answerAll();
        time.advanceBy(PERIOD);
        RateLimiter bounded = builder(DEADLINE).maxWait(DEADLINE.dividedBy(2)).build();
        CompletableFuture<Lease> asked = bounded.acquire();
        time.advanceBy(DEADLINE.dividedBy(2));
        assertThat(asked.join().reason()).contains(RefusalReason.MAX_WAIT);
        assertThat(asked.join().retryAfter()).isEmpty();
    }

    @Test
    @DisplayName("a newest-first request with a bound below the deadline gets its answer")
    void newestFirst() {
        RateLimiter limiter = builder(DEADLINE)
                .queueOrder(QueueOrder.NEWEST_FIRST)
                .maxWait(DEADLINE.dividedBy(2))
                .build();
        CompletableFuture<Lease> older = limiter.acquire();
        CompletableFuture<Lease> newer = limiter.acquire();
        assertThat(older).isNotDone();
        store.answer();
        time.advanceBy(Duration.ZERO);
        assertThat(newer).isCompletedWithValueMatching(Lease::isAcquired);
        store.answerAll();
        time.advanceBy(Duration.ZERO);
        assertThat(older).isCompletedWithValueMatching(Lease::isAcquired);
    }
}
