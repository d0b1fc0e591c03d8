package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.testkit.VirtualTimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisLoadingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A store that answers late or never, in virtual time. */
class LateAnswersTest {

    private static final Duration DEADLINE = Duration.ofMillis(50);
    private static final Duration NANO = Duration.ofNanos(1);
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final List<ManualStore> stores = new ArrayList<>();
    private final Node node = Nodes.node();

    private RateLimiter limiter(Limit limit, WhenUnavailable whenUnavailable, int nodes, int leaseAhead) {
        return limiter(node, limit, whenUnavailable, nodes, leaseAhead);
    }

    private RateLimiter limiter(Node sharing, WhenUnavailable whenUnavailable) {
        return limiter(sharing, Limit.of(5, PERIOD), whenUnavailable, 1, 0);
    }

    private RateLimiter limiter(Node sharing, Limit limit, WhenUnavailable whenUnavailable, int nodes, int leaseAhead) {
        ManualStore store = new ManualStore(new ModelStore(limit, time));
        stores.add(store);
        return ModelFleet.builder(limit, store, sharing, settings(whenUnavailable, nodes, leaseAhead))
                .timeSource(time)
                .build();
    }

    private static NodeSettings settings(WhenUnavailable whenUnavailable, int nodes, int leaseAhead) {
        return new TestSettings()
                .deadlineNanos(DEADLINE.toNanos())
                .aheadNanos(250_000_000)
                .leaseAhead(leaseAhead)
                .whenUnavailable(whenUnavailable)
                .nodes(nodes)
                .build();
    }

    private RateLimiter limiter(WhenUnavailable whenUnavailable) {
        return limiter(Limit.of(5, PERIOD), whenUnavailable, 1, 0);
    }

    private ManualStore store() {
        return stores.get(0);
    }

    private void runDue() {
        time.advanceBy(Duration.ZERO);
    }

    @Test
    @DisplayName("a trip is alone on its way, and the next asks for all waiting requests")
    void oneTripAtATime() {
        RateLimiter limiter = limiter(Limit.of(500, PERIOD), WhenUnavailable.LOCAL, 1, 0);
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            asked.add(limiter.acquire());
        }
        assertThat(store().underWay()).isEqualTo(1);
        store().answer();
        runDue();
        assertThat(asked.get(0)).isDone();
        assertThat(store().underWay()).isEqualTo(1);
        assertThat(store().latest().wanted().most()).isEqualTo(399);
        store().answer();
        runDue();
        assertThat(asked).allMatch(CompletableFuture::isDone);
        assertThat(store().asked).hasSize(2);
        assertThat(time.pendingTasks()).isZero();
    }

    /** Asks again whenever it has been told. */
    private static void askAgain(RateLimiter limiter, List<Lease> told, int times) {
        limiter.acquire(1, lease -> {
            told.add(lease);
            if (times > 1) {
                askAgain(limiter, told, times - 1);
            }
        });
    }

    @Test
    @DisplayName(
            "a crowd that asks again whenever it is told makes one trip each time, not one for the first and another for the others")
    void crowdMakesOneTrip() {
        RateLimiter limiter = limiter(Limit.of(500, PERIOD), WhenUnavailable.LOCAL, 1, 0);
        List<Lease> told = new ArrayList<>();
        for (int caller = 0; caller < 10; caller++) {
            askAgain(limiter, told, 5);
        }
        while (store().underWay() > 0) {
            store().answer();
            runDue();
        }
        assertThat(told).hasSize(50).allMatch(Lease::isAcquired);
        assertThat(store().asked.stream().map(question -> question.wanted().most()))
                .as("permits asked for")
                // Who is told last asks when the others have already gone.
                .containsExactly(1L, 9L, 9L, 9L, 9L, 9L, 4L);
    }

    @Test
    @DisplayName("a listener that takes long delays the others by a millisecond at most")
    void whoTakesLongKeepsNobodyBack() {
        RateLimiter limiter = limiter(Limit.of(500, PERIOD), WhenUnavailable.LOCAL, 1, 0);
        List<Lease> told = new ArrayList<>();
        limiter.acquire(1, told::add);
        limiter.acquire(1, lease -> {
            limiter.acquire(1, told::add);
            assertThat(store().underWay()).as("while others may ask again").isZero();
            time.advanceBy(Duration.ofMillis(1));
            assertThat(store().underWay()).as("after a millisecond").isEqualTo(1);
        });
        limiter.acquire(1, told::add);
        store().answer();
        runDue();
        store().answer();
        runDue();
        store().answer();
        runDue();
        assertThat(told).hasSize(3);
        assertThat(limiter.statistics().acquired()).isEqualTo(4);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("answers are told by the time source, not by whoever brings them from the store")
    void answersAreToldByTheTimeSource() {
        CompletableFuture<Lease> asked = limiter(WhenUnavailable.LOCAL).acquire();
        store().answer();
        assertThat(asked).isNotDone();
        runDue();
        assertThat(asked.join().source()).isEqualTo(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("an answer that comes while somebody looks wakes who came meanwhile and found the question under way")
    void whoFoundTheQuestionUnderWay() {
        Limit limit = Limit.of(5, PERIOD);
        ModelStore model = new ModelStore(limit, time);
        AtomicReference<FleetPolicy> asked = new AtomicReference<>();
        AtomicInteger questions = new AtomicInteger();
        Store store = (asks, question, listener) -> {
            if (questions.getAndIncrement() == 0) {
                assertThat(asked.get().tryTakeFirst(Queued.of(1), 1, Long.MAX_VALUE, time.nanoTime()))
                        .isEqualTo(PermitPolicy.AWAIT_SIGNAL);
            }
            model.ask(asks, question, listener);
        };
        FleetPolicy policy = ModelFleet.policy(limit, store, node, time, settings(WhenUnavailable.LOCAL, 1, 0));
        AtomicInteger signals = new AtomicInteger();
        policy.signalTo(signals::incrementAndGet);
        asked.set(policy);
        assertThat(policy.available(time.nanoTime())).isEqualTo(5);
        runDue();
        assertThat(signals).hasValue(1);
        assertThat(policy.tryTakeFirst(Queued.of(1), 1, Long.MAX_VALUE, time.nanoTime()))
                .isEqualTo(PermitPolicy.TAKEN);
    }

    @Test
    @DisplayName("permits are there also for those who read the clock before they came")
    void whoReadTheClockBefore() {
        Limit limit = Limit.of(5, PERIOD);
        ManualStore store = new ManualStore(new ModelStore(limit, time));
        FleetPolicy policy = ModelFleet.policy(limit, store, node, time, settings(WhenUnavailable.LOCAL, 1, 0));
        long before = time.nanoTime();
        assertThat(policy.tryTakeFirst(Queued.of(1), 1, Long.MAX_VALUE, before)).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
        time.advanceBy(NANO);
        store.answer();
        assertThat(policy.tryTakeFirst(Queued.of(1), 1, Long.MAX_VALUE, before)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(store.asked).hasSize(1);
    }

    @Test
    @DisplayName("a caller that tries is refused at once, and served when back while permits keep")
    void whoTriesComesBack() {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL);
        assertThat(limiter.tryAcquire(2).isAcquired()).isFalse();
        assertThat(limiter.tryAcquire(2).retryAfter()).contains(DEADLINE);
        store().answer();
        time.advanceBy(Duration.ofMillis(100));
        assertThat(limiter.tryAcquire(2).isAcquired()).isTrue();
        assertThat(limiter.tryAcquire(1).isAcquired()).isFalse();
        store().answer();
        time.advanceBy(Duration.ofMillis(100).plus(NANO));
        assertThat(limiter.tryAcquire(1).isAcquired()).as("kept for too long").isFalse();
        assertThat(store().latest().undone()).hasSize(1);
    }

    @Test
    @DisplayName("a refusal is remembered: asking again in vain makes no trip")
    void refusalsAreRemembered() {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL);
        var unused = limiter.acquire(5);
        store().answerAll();
        runDue();
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
        store().answerAll();
        runDue();
        int trips = store().asked.size();
        for (int i = 0; i < 1_000; i++) {
            assertThat(limiter.tryAcquire().retryAfter()).contains(PERIOD);
        }
        assertThat(store().asked).hasSize(trips);
    }

    @Test
    @DisplayName("no answer by the deadline: refused just then, with what went wrong, and at once from then on")
    void refusedAtTheDeadline() {
        RateLimiter limiter = limiter(WhenUnavailable.REFUSE);
        CompletableFuture<Lease> waiting = limiter.acquire();
        time.advanceBy(DEADLINE.minus(NANO));
        assertThat(waiting).isNotDone();
        time.advanceBy(NANO);
        assertThat(waiting.join().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(waiting.join().source()).isEqualTo(DecisionSource.FALLBACK);
        assertThat(waiting.join().cause()).isPresent();
        assertThat(limiter.tryAcquire().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(limiter.acquire().join().retryAfter()).isPresent();
    }

    @Test
    @DisplayName("no answer by the deadline: each node keeps its share, and pays for it when the store is back")
    void eachKeepsItsShare() {
        RateLimiter limiter = limiter(Limit.of(10, PERIOD), WhenUnavailable.LOCAL, 4, 0);
        CompletableFuture<Lease> first = limiter.acquire();
        time.advanceBy(DEADLINE);
        assertThat(first.join().isAcquired()).isTrue();
        assertThat(first.join().source()).isEqualTo(DecisionSource.FALLBACK);
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
        assertThat(limiter.tryAcquire().isAcquired()).as("a quarter of 10 is 2").isFalse();
        CompletableFuture<Lease> large = limiter.acquire(9);
        time.advanceBy(PERIOD);
        assertThat(large.join().isAcquired()).as("more than the share, in debt").isTrue();
        store().answerAll();
        for (int i = 0; i < 105; i++) {
            time.advanceBy(Duration.ofMillis(10));
            assertThat(limiter.tryAcquire().isAcquired()).as("still in debt").isFalse();
            store().answerAll();
        }
        assertThat(store().asked).anyMatch(question -> question.mostCharged() == 9);
        time.advanceBy(Duration.ofMillis(300));
        Lease unused = limiter.tryAcquire();
        store().answerAll();
        assertThat(limiter.tryAcquire().source())
                .as("by now the other nodes have noticed, too")
                .isEqualTo(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("a lost answer's grant counts as spent, however late it comes")
    void lateAnswersAreNotHeard() {
        RateLimiter limiter = limiter(WhenUnavailable.ALLOW);
        assertThat(limiter.tryAcquire(3).isAcquired()).isFalse();
        time.advanceBy(DEADLINE);
        assertThat(limiter.tryAcquire(3).source()).isEqualTo(DecisionSource.FALLBACK);
        store().answer();
        assertThat(limiter.tryAcquire(3).source()).isEqualTo(DecisionSource.FALLBACK);
    }

    @Test
    @DisplayName(
            "a store that keeps a question is asked nothing else, however long; once it has let go all is well again")
    void askedOnce() {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL);
        for (int i = 0; i < 6_000; i++) {
            var unused = limiter.tryAcquire();
            time.advanceBy(Duration.ofMillis(10));
        }
        assertThat(store().asked).hasSize(1);
        store().answer();
        time.advanceBy(DEADLINE);
        var unused = limiter.tryAcquire();
        assertThat(store().asked).hasSize(2);
        store().answerAll();
        runDue();
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("a store that fails is asked ever less often, down to once in half a second to a second")
    void askedLessOften() {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL);
        List<Long> asked = new ArrayList<>();
        for (int i = 0; i < 6_000; i++) {
            var unused = limiter.tryAcquire();
            if (store().underWay() > 0) {
                asked.add(time.nanoTime());
                store().fail();
            }
            time.advanceBy(Duration.ofMillis(10));
        }
        List<Duration> pauses = new ArrayList<>();
        for (int i = 1; i < asked.size(); i++) {
            pauses.add(Duration.ofNanos(asked.get(i) - asked.get(i - 1)));
        }
        Duration step = Duration.ofMillis(10);
        assertThat(pauses.subList(0, 2)).allMatch(pause -> pause.compareTo(DEADLINE.plus(step)) <= 0);
        assertThat(pauses.subList(10, pauses.size()))
                .hasSizeGreaterThan(50)
                .allMatch(pause -> pause.compareTo(Duration.ofMillis(500)) >= 0)
                .allMatch(pause -> pause.compareTo(Duration.ofSeconds(1).plus(step)) <= 0);
    }

    @Test
    @DisplayName("three failures of one limiter keep the others of its node from asking, and an answer to it lets them")
    void patienceIsShared() {
        RateLimiter one = limiter(WhenUnavailable.REFUSE);
        RateLimiter two = limiter(WhenUnavailable.REFUSE);
        RateLimiter elsewhere = limiter(Nodes.node(), WhenUnavailable.REFUSE);
        for (int failures = 0; failures < 3; failures++) {
            time.advanceBy(DEADLINE);
            assertThat(one.tryAcquire().isAcquired()).isFalse();
            store().fail();
        }
        assertThat(store().asked).hasSize(3);
        assertThat(two.tryAcquire().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(stores.get(1).asked).isEmpty();
        assertThat(elsewhere.tryAcquire().reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(stores.get(2).asked).hasSize(1);
        time.advanceBy(DEADLINE.multipliedBy(2));
        assertThat(one.tryAcquire().isAcquired()).isFalse();
        assertThat(two.tryAcquire().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(stores.get(1).asked).as("one probes at a time").isEmpty();
        store().answer();
        time.advanceBy(PERIOD);
        assertThat(one.tryAcquire().source()).isEqualTo(DecisionSource.REMOTE);
        assertThat(two.tryAcquire().isAcquired()).isFalse();
        assertThat(stores.get(1).asked).hasSize(1);
    }

    @Test
    @DisplayName(
            "too many calls under way say nothing about the store: who has no place is decided alone, and nobody else")
    void noPlace() {
        RateLimiter one = limiter(WhenUnavailable.REFUSE);
        RateLimiter two = limiter(WhenUnavailable.REFUSE);
        for (int failures = 0; failures < 10; failures++) {
            assertThat(one.tryAcquire().isAcquired()).isFalse();
            store().fail(new TooManyCallsException(1));
            assertThat(one.acquire().join().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
            time.advanceBy(DEADLINE);
        }
        assertThat(two.tryAcquire().reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(stores.get(1).asked).hasSize(1);
        assertThat(store().asked).hasSize(10);
    }

    @Test
    @DisplayName(
            "an error that the store answers with is about one key, and it is there: nobody else stops asking, or starts again")
    void errorOfOneKey() {
        RateLimiter poisoned = limiter(WhenUnavailable.REFUSE);
        RateLimiter other = limiter(WhenUnavailable.REFUSE);
        RuntimeException wrongType = new RedisCommandExecutionException("WRONGTYPE");
        for (int failures = 0; failures < 10; failures++) {
            assertThat(poisoned.tryAcquire().isAcquired()).isFalse();
            store().fail(wrongType);
            assertThat(poisoned.acquire().join().cause()).contains(wrongType);
            time.advanceBy(DEADLINE);
        }
        assertThat(store().asked).as("probed again and again").hasSize(10);
        assertThat(other.tryAcquire().reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(stores.get(1).asked).hasSize(1);
        stores.get(1).answer();

        for (int failures = 0; failures < 3; failures++) {
            time.advanceBy(DEADLINE);
            var unused = poisoned.tryAcquire();
            store().fail(new RedisLoadingException("LOADING"));
        }
        time.advanceBy(PERIOD);
        var unused = poisoned.tryAcquire();
        assertThat(other.tryAcquire().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        store().fail(wrongType);
        time.advanceBy(PERIOD);
        assertThat(other.tryAcquire().isAcquired()).isFalse();
        assertThat(stores.get(1).underWay()).as("asks again").isEqualTo(1);
    }

    @Test
    @DisplayName("a booking of a request that leaves goes to the next of the same size, or back")
    void bookingsOfThoseWhoLeave() {
        RateLimiter limiter = limiter(Limit.of(1, PERIOD), WhenUnavailable.LOCAL, 1, 0);
        var unused = limiter.acquire();
        store().answerAll();
        runDue();
        CompletableFuture<Lease> waiting = limiter.acquire();
        PermitRequest behind = limiter.acquire(1, lease -> {});
        store().answerAll();
        runDue();
        store().answerAll();
        runDue();
        int trips = store().asked.size();
        waiting.cancel(false);
        assertThat(store().asked).as("the booking passes on").hasSize(trips);
        behind.cancel();
        assertThat(store().latest().undone()).hasSize(1);
        store().answerAll();
    }

    @Test
    @DisplayName("permits leased ahead are given out without a trip, more are fetched in time, and unused ones expire")
    void leasedAhead() {
        RateLimiter limiter = limiter(Limit.tokenBucket(1_000, 1_000, PERIOD), WhenUnavailable.LOCAL, 1, 100);
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
        store().answerAll();
        int granted = 0;
        while (limiter.tryAcquire().isAcquired()) {
            granted++;
        }
        assertThat(granted).isEqualTo(100);
        assertThat(store().underWay()).as("fetched when half were gone").isEqualTo(1);
        store().answerAll();
        assertThat(store().asked.size()).isLessThanOrEqualTo(3);
        time.advanceBy(PERIOD.plus(NANO));
        assertThat(limiter.tryAcquire().isAcquired())
                .as("expired with the period")
                .isFalse();
    }
}
