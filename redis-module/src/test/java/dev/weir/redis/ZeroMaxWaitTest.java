package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** With a bound of zero only what exceeds the limit is refused; whether it does, the store says. */
class ZeroMaxWaitTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final Duration DEADLINE = Duration.ofNanos(ModelFleet.SETTINGS.deadlineNanos());

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final Limit limit = Limit.of(5, SECOND);
    private final ModelStore model = new ModelStore(limit, time);
    private final ManualStore store = new ManualStore(model);

    private RateLimiter.Builder builder(WhenUnavailable choice) {
        return ModelFleet.builder(limit, store, choice).timeSource(time);
    }

    private RateLimiter limiter() {
        return builder(WhenUnavailable.LOCAL).build();
    }

    private static CompletableFuture<Lease> ask(RateLimiter limiter, int permits) {
        CompletableFuture<Lease> answer = new CompletableFuture<>();
        PermitRequest unused = limiter.acquire(permits, Duration.ZERO, answer::complete);
        return answer;
    }

    private static List<CompletableFuture<Lease>> ask(RateLimiter limiter, int permits, int askers) {
        return IntStream.range(0, askers).mapToObj(i -> ask(limiter, permits)).toList();
    }

    private void answer() {
        store.answer();
        time.advanceBy(Duration.ZERO);
    }

    private void answerAll() {
        answerAll(store);
    }

    private void answerAll(ManualStore asked) {
        while (asked.underWay() > 0) {
            asked.answer();
            time.advanceBy(Duration.ZERO);
        }
    }

    private void useUp(RateLimiter limiter) {
        CompletableFuture<Lease> all = limiter.acquire(limit.capacity());
        answerAll();
        assertThat(all.join().isAcquired()).isTrue();
    }

    private static void checkRefused(CompletableFuture<Lease> asked, RefusalReason reason) {
        assertThat(asked).isDone();
        assertThat(asked.join().reason()).contains(reason);
    }

    private void checkNothingBooked() {
        assertThat(store.asked)
                .allSatisfy(question -> assertThat(question.wanted().isAtOnce()).isTrue());
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("a rare request is always granted as soon as the store has answered")
    void seldom(QueueOrder order) {
        DistantStore away = new DistantStore(new ModelStore(Limit.of(100, SECOND), time), time, MILLI.toNanos());
        RateLimiter limiter = ModelFleet.builder(Limit.of(100, SECOND), away, WhenUnavailable.LOCAL)
                .timeSource(time)
                .queueOrder(order)
                .maxWait(Duration.ZERO)
                .build();
        for (int i = 0; i < 50; i++) {
            CompletableFuture<Lease> bounded = i % 2 == 0 ? ask(limiter, 1) : limiter.acquire();
            assertThat(bounded).isNotDone();
            time.advanceBy(MILLI);
            assertThat(bounded).isDone();
            assertThat(bounded.join().isAcquired()).isTrue();
            time.advanceBy(Duration.ofMillis(199));
        }
        assertThat(time.pendingTasks()).isZero();
        assertThat(limiter.statistics().acquired()).isEqualTo(50);
    }

    @Test
    @DisplayName("a request beyond the limit is refused by the first answer, with a time and no booking")
    void exceeding() {
        RateLimiter others = ModelFleet.builder(limit, model, WhenUnavailable.LOCAL)
                .timeSource(time)
                .build();
        assertThat(others.tryAcquire(5).isAcquired()).isTrue();
        time.advanceBy(Duration.ofMillis(300));

        RateLimiter limiter = limiter();
        CompletableFuture<Lease> asked = ask(limiter, 1);
        assertThat(asked).isNotDone();
        answer();

        checkRefused(asked, RefusalReason.EXHAUSTED);
        assertThat(asked.join().source()).isEqualTo(DecisionSource.REMOTE);
        assertThat(asked.join().retryAfter()).contains(Duration.ofMillis(700));
        checkNothingBooked();
        checkRefused(ask(limiter, 1), RefusalReason.EXHAUSTED);
        assertThat(store.underWay()).as("known, so not asked again").isZero();

        time.advanceBy(Duration.ofMillis(700));
        CompletableFuture<Lease> later = ask(limiter, 5);
        answer();
        assertThat(later.join().isAcquired()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("of many at once as many are granted as there are permits, in few trips, and the others are refused")
    void many(QueueOrder order) {
        RateLimiter limiter = builder(WhenUnavailable.LOCAL).queueOrder(order).build();
        List<CompletableFuture<Lease>> asked = ask(limiter, 1, 20);
        assertThat(store.underWay()).isEqualTo(1);
        answerAll();
        assertThat(asked).allSatisfy(one -> assertThat(one).isDone());
        assertThat(asked.stream().filter(one -> one.join().isAcquired())).hasSize(5);
        assertThat(limiter.statistics().refused()).isEqualTo(15);
        assertThat(limiter.statistics().queuedPermits()).isZero();
        if (order == QueueOrder.OLDEST_FIRST) {
            assertThat(store.asked).hasSize(2);
        }
        checkNothingBooked();
    }

    @Test
    @DisplayName("a smaller request is not refused because a larger one before it is")
    void smaller() {
        RateLimiter limiter = limiter();
        CompletableFuture<Lease> some = limiter.acquire(3);
        answer();
        assertThat(some.join().isAcquired()).isTrue();
        CompletableFuture<Lease> large = ask(limiter, 5);
        CompletableFuture<Lease> small = ask(limiter, 1);
        answerAll();
        checkRefused(large, RefusalReason.EXHAUSTED);
        assertThat(small.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("behind others that wait it is refused at once, behind others that have asked when these have to wait")
    void behindOthers() {
        RateLimiter limiter = limiter();
        useUp(limiter);
        CompletableFuture<Lease> first = limiter.acquire();
        CompletableFuture<Lease> behind = ask(limiter, 1);
        assertThat(behind).isNotDone();
        answerAll();
        assertThat(first).isNotDone();
        checkRefused(behind, RefusalReason.EXHAUSTED);
        checkRefused(ask(limiter, 1), RefusalReason.EXHAUSTED);
        time.advanceBy(SECOND);
        assertThat(first.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("behind others that are granted by the answer, it is granted")
    void behindOthersThatGo() {
        RateLimiter limiter = limiter();
        CompletableFuture<Lease> first = limiter.acquire(2);
        CompletableFuture<Lease> behind = ask(limiter, 3);
        answerAll();
        assertThat(first.join().isAcquired()).isTrue();
        assertThat(behind.join().isAcquired()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("a request without an answer is decided as chosen, by the deadline")
    void unavailable(WhenUnavailable choice) {
        RateLimiter limiter = builder(choice).build();
        List<CompletableFuture<Lease>> asked = ask(limiter, 3, 2);
        time.advanceBy(DEADLINE.minusNanos(1));
        assertThat(asked).allSatisfy(one -> assertThat(one).isNotDone());
        time.advanceBy(Duration.ofNanos(1));
        assertThat(asked).allSatisfy(one -> {
            assertThat(one).isDone();
            assertThat(one.join().source()).isEqualTo(DecisionSource.FALLBACK);
        });
        List<Boolean> granted =
                asked.stream().map(one -> one.join().isAcquired()).toList();
        switch (choice) {
            case LOCAL -> {
                assertThat(granted).containsExactly(true, false);
                checkRefused(asked.get(1), RefusalReason.EXHAUSTED);
                assertThat(asked.get(1).join().retryAfter()).contains(SECOND);
            }
            case ALLOW -> assertThat(granted).containsExactly(true, true);
            case REFUSE ->
                asked.forEach(one -> {
                    checkRefused(one, RefusalReason.BACKEND_UNAVAILABLE);
                    assertThat(one.join().cause()).isPresent();
                });
        }
    }

    @Test
    @DisplayName("a request behind many reports waits for twice the deadline at most")
    void muchToTell() {
        RateLimiter limiter = ModelFleet.builder(Limit.of(10_000, SECOND), store, WhenUnavailable.LOCAL)
                .timeSource(time)
                .build();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            CompletableFuture<Lease> one = limiter.acquire(2);
            store.answerAll();
            time.advanceBy(Duration.ofNanos(1_000));
            leases.add(one.join());
        }
        leases.forEach(lease -> lease.settle(1));
        assertThat(store.underWay()).as("the others follow").isEqualTo(1);
        long since = time.nanoTime();
        CompletableFuture<Long> waited = new CompletableFuture<>();
        CompletableFuture<Lease> asked = ask(limiter, 1);
        CompletableFuture<Void> unused = asked.thenRun(() -> waited.complete(time.nanoTime() - since));
        for (int i = 0; i < 5; i++) {
            time.advanceBy(DEADLINE.minus(MILLI));
            store.answer();
        }
        checkRefused(asked, RefusalReason.EXHAUSTED);
        assertThat(waited.join()).isEqualTo(DEADLINE.multipliedBy(2).toNanos());
    }

    @Test
    @DisplayName("a request to a limit of concurrency is refused by the answer, and never counts as waiting")
    void concurrency() {
        Limit calls = Limit.concurrency(2);
        ManualStore held = new ManualStore(new ModelStore(calls, time));
        RateLimiter limiter = ModelFleet.builder(calls, held, WhenUnavailable.LOCAL)
                .timeSource(time)
                .build();
        List<CompletableFuture<Lease>> asked = ask(limiter, 1, 3);
        answerAll(held);
        assertThat(asked).extracting(one -> one.join().isAcquired()).containsExactly(true, true, false);
        assertThat(asked.get(2).join().retryAfter()).isEmpty();
        assertThat(held.asked)
                .allSatisfy(question -> assertThat(question.wanted().waiting()).isZero());
        asked.get(0).join().close();
        CompletableFuture<Lease> next = ask(limiter, 1);
        answerAll(held);
        assertThat(next.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a cancelled request takes nothing")
    void cancelled() {
        RateLimiter limiter = limiter();
        List<Lease> heard = new ArrayList<>();
        PermitRequest request = limiter.acquire(5, Duration.ZERO, heard::add);
        assertThat(request.cancel()).isTrue();
        answerAll();
        time.advanceBy(SECOND);
        answerAll();
        assertThat(heard).isEmpty();
        assertThat(model.policy().available(time.nanoTime())).isEqualTo(5);
        assertThat(limiter.statistics().refused()).isZero();
    }

    @Test
    @DisplayName("a limiter that is closed, paused or changed meanwhile answers as to others")
    void changedMeanwhile() {
        RateLimiter closed = limiter();
        CompletableFuture<Lease> asked = ask(closed, 1);
        closed.close();
        checkRefused(asked, RefusalReason.CLOSED);

        RateLimiter paused = limiter();
        asked = ask(paused, 1);
        paused.pauseFor(SECOND);
        answerAll();
        checkRefused(asked, RefusalReason.PAUSED);
        checkRefused(ask(paused, 1), RefusalReason.PAUSED);

        time.advanceBy(SECOND.multipliedBy(2));
        answerAll();
        RateLimiter changed = limiter();
        CompletableFuture<Lease> large = ask(changed, 5);
        asked = ask(changed, 3);
        changed.reconfigure(Limit.of(4, SECOND));
        checkRefused(large, RefusalReason.EXHAUSTED);
        assertThat(asked).isNotDone();
        answerAll();
        assertThat(asked.join().isAcquired()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("a request with a bound of zero takes room in the queue, is observed, and evicts no other")
    void room(QueueOrder order) {
        List<String> told = new ArrayList<>();
        RateLimiter limiter = builder(WhenUnavailable.LOCAL)
                .queueOrder(order)
                .queueLimit(3)
                .observer(new RateLimiterObserver() {
                    @Override
                    public void onQueued(int permits) {
                        told.add("queued " + permits);
                    }
                })
                .build();
        CompletableFuture<Lease> waiting = limiter.acquire(2);
        CompletableFuture<Lease> fits = ask(limiter, 1);
        CompletableFuture<Lease> doesNot = ask(limiter, 1);
        checkRefused(doesNot, RefusalReason.QUEUE_FULL);
        answerAll();
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(fits.join().isAcquired()).isTrue();
        assertThat(told).containsExactly("queued 2", "queued 1");
    }

    @Test
    @DisplayName("tryAcquire, and who asks for nothing, are answered before they return")
    void synchronous() {
        RateLimiter limiter = limiter();
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
        assertThat(ask(limiter, 0)).isDone();
    }

    @Test
    @DisplayName("a key's request with a bound of zero waits for the answer, too")
    void keys() {
        List<Commands.Listener> asked = new ArrayList<>();
        RedisRateLimiters node = Nodes.on(
                (script, keys, arguments, listener) -> asked.add(listener),
                RedisOptions.defaults().keysPerCommand(1));
        RateLimiter key = node.partitionedBuilder("users", (String user) -> Limit.of(3, SECOND))
                .timeSource(time)
                .build()
                .forKey("ann");
        for (String reply : List.of("1 1 0 2 0 1000000 1000000", "2 0 400000 0 400000 400000 400000")) {
            CompletableFuture<Lease> one = ask(key, 1);
            assertThat(one).isNotDone();
            asked.remove(0).replied(reply);
            time.advanceBy(Duration.ofMillis(200));
            assertThat(one).isDone();
            assertThat(one.join().isAcquired()).isEqualTo(reply.startsWith("1"));
            assertThat(one.join().retryAfter().isPresent()).isEqualTo(reply.startsWith("2"));
            asked.clear();
        }
    }
}
