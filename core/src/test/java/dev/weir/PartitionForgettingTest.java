package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys are forgotten when they are as fresh, and nobody can tell. */
class PartitionForgettingTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(0);

    private <K> PartitionTable<K> table(Limit limit) {
        return (PartitionTable<K>)
                PartitionedRateLimiter.<K>builder(key -> limit).timeSource(time).build();
    }

    @Test
    @DisplayName("a million idle keys are forgotten by a thousand calls for new ones, without thread or timer")
    void newKeysForgetAMillion() {
        PartitionTable<Integer> table = table(Limit.of(1, PERIOD));
        for (int key = 0; key < 1_000_000; key++) {
            assertThat(table.tryAcquire(key, 1).isAcquired()).isTrue();
        }
        assertThat(table.keptKeys()).isEqualTo(1_000_000);
        assertThat(time.pendingTasks()).isZero();

        time.advanceBy(PERIOD);
        for (int call = 1; call <= 1_000; call++) {
            table.tryAcquire(-call, 1);
        }
        assertThat(table.keptKeys()).isLessThan(10_000);
        assertThat(table.keyCount()).isEqualTo(1_000);
        time.advanceBy(PERIOD);
        assertThat(table.keyCount()).isZero();
    }

    @Test
    @DisplayName("calls for one known key forget the others as well")
    void knownKeysForgetOthers() {
        PartitionTable<Integer> table = table(Limit.of(1, PERIOD));
        for (int key = 0; key < 100_000; key++) {
            table.tryAcquire(key, 1);
        }
        time.advanceBy(PERIOD);
        RateLimiter limiter = table.forKey(0);
        for (int call = 0; call < 20_000; call++) {
            limiter.tryAcquire();
        }
        assertThat(table.keptKeys()).isLessThan(10_000);
    }

    @Test
    @DisplayName("while keys come all the time, little more is kept than counts")
    void tableStaysNearWhatCounts() {
        PartitionTable<Integer> table = table(Limit.of(1, PERIOD));
        int perPeriod = 10_000;
        for (int key = 0; key < 20 * perPeriod; key++) {
            table.tryAcquire(key, 1);
            time.advanceBy(PERIOD.toNanos() / perPeriod);
            assertThat(table.keptKeys()).isLessThanOrEqualTo(2L * perPeriod);
        }
    }

    @Test
    @DisplayName("nothing is forgotten that still counts")
    void keepsWhatCounts() {
        PartitionTable<String> table = table(Limit.of(2, PERIOD));
        table.tryAcquire("taken", 1);
        table.forKey("charged").charge(4);
        table.forKey("paused").pauseFor(Duration.ofSeconds(3));
        table.forKey("reconfigured").reconfigure(Limit.of(3, PERIOD));
        table.forKey("closed").close();
        assertThat(table.keyCount()).isEqualTo(5);

        time.advanceBy(PERIOD.toNanos() - 1);
        assertThat(table.keyCount()).isEqualTo(5);
        time.advanceBy(1);
        assertThat(table.keyCount()).as("without the taken").isEqualTo(4);
        time.advanceBy(PERIOD);
        assertThat(table.keyCount()).as("without the charged").isEqualTo(3);
        time.advanceBy(PERIOD);
        assertThat(table.keyCount()).as("without the paused").isEqualTo(2);
        time.advanceBy(PERIOD.multipliedBy(10));
        assertThat(table.keyCount()).isEqualTo(2);
        assertThat(table.tryAcquire("reconfigured", 3).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a key that starts part full is never forgotten, and a key without room names no time")
    void partFullKeysAreKept() {
        PartitionedRateLimiter<String> limiters = PartitionedRateLimiter.<String>builder(
                        key -> Limit.tokenBucket(10, 1, PERIOD).startingWith(3))
                .timeSource(time)
                .maximumKeys(1)
                .build();
        limiters.tryAcquire("known", 3);
        assertThat(limiters.tryAcquire("other", 1).retryAfter()).isEmpty();
        time.advanceBy(PERIOD.multipliedBy(100));
        assertThat(limiters.tryAcquire("other", 1).isAcquired()).isFalse();
        assertThat(limiters.tryAcquire("known", 10).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a key is never forgotten if one of several limits starts part full")
    void partFullAmongOthers() {
        for (Limit limit : List.of(
                Limit.allOf(Limit.tokenBucket(10, 1, PERIOD).startingWith(3), Limit.of(3, PERIOD)),
                Limit.allOf(Limit.tokenBucket(50, 1, PERIOD).startingWith(1).countingCalls(), Limit.of(3, PERIOD)))) {
            PartitionTable<String> table = table(limit);
            table.tryAcquire("known", 1);
            time.advanceBy(PERIOD.multipliedBy(100));
            assertThat(table.keyCount()).as("%s", limit).isEqualTo(1);
            for (int burst = 0; burst < 3; burst++) {
                assertThat(table.tryAcquire("known", 3).isAcquired())
                        .as("%s", limit)
                        .isTrue();
                time.advanceBy(PERIOD);
            }
        }
    }

    @Test
    @DisplayName("a key that somebody waits for is kept, also by one who waits for zero permits")
    void keepsWhoWaits() {
        PartitionTable<String> table = table(Limit.concurrency(1));
        Lease out = table.tryAcquire("a", 1);
        List<Lease> answers = new ArrayList<>();
        table.forKey("a").acquire(1, answers::add);
        PermitRequest probe = table.forKey("a").acquire(0, answers::add);
        assertThat(table.keyCount()).isEqualTo(1);
        out.close();
        assertThat(answers)
                .singleElement()
                .satisfies(lease -> assertThat(lease.isAcquired()).isTrue());
        assertThat(table.keyCount()).isEqualTo(1);
        assertThat(probe.cancel()).isTrue();
        answers.get(0).close();
        assertThat(table.keyCount()).isZero();
    }

    @Test
    @DisplayName("a handle outlives what it was a handle of, and two handles of a key are one limiter")
    void handlesStayValid() {
        PartitionTable<String> table = table(Limit.of(2, PERIOD));
        RateLimiter first = table.forKey("a");
        RateLimiter second = table.forKey("a");
        for (int round = 0; round < 5; round++) {
            assertThat(first.tryAcquire().isAcquired()).isTrue();
            assertThat(second.tryAcquire().isAcquired()).isTrue();
            assertThat(first.tryAcquire().isAcquired()).isFalse();
            assertThat(table.tryAcquire("a", 1).isAcquired()).isFalse();
            assertThat(second.statistics().acquired()).isEqualTo(2);
            time.advanceBy(PERIOD);
            assertThat(table.keyCount()).isZero();
            assertThat(first.availablePermits()).isEqualTo(2);
            assertThat(table.keyCount()).as("after a look").isZero();
        }
    }

    @Test
    @DisplayName("a late settlement is charged to the successor of a forgotten limiter")
    void lateChargesFindTheSuccessor() {
        PartitionTable<String> table = table(Limit.of(2, PERIOD));
        Lease estimate = table.tryAcquire("a", 1);
        time.advanceBy(PERIOD);
        assertThat(table.keyCount()).isZero();
        estimate.settle(3);
        assertThat(table.forKey("a").availablePermits()).isZero();
        assertThat(table.keyCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "one whose wait becomes too long by a late settlement keeps nobody behind waiting, also if the key was forgotten")
    void lateChargesEndWaits(boolean isForgotten) {
        PartitionedRateLimiter<String> keys = PartitionedRateLimiter.<String>builder(
                        key -> Limit.tokenBucket(3, 1, PERIOD))
                .maxWait(PERIOD.multipliedBy(4))
                .timeSource(time)
                .build();
        Lease estimate = keys.tryAcquire("a", 1);
        time.advanceBy(PERIOD.multipliedBy(10));
        assertThat(isForgotten ? keys.keyCount() : 0).isZero();
        keys.tryAcquire("a", 3);
        CompletableFuture<Lease> first = keys.acquire("a", 3);
        assertThat(first).isNotDone();
        estimate.settle(4);
        CompletableFuture<Lease> second = keys.acquire("a", 1);
        assertThat(first).isCompletedWithValueMatching(lease -> !lease.isAcquired());
        time.advanceBy(PERIOD.multipliedBy(4));
        assertThat(second).isCompletedWithValueMatching(Lease::isAcquired);
    }

    /** The law: a limiter that is forgotten and made anew decides as one that never was, for each key and any history. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    @DisplayName("forgetting changes no decision")
    void forgettingChangesNoDecision(long seed) {
        Random random = new Random(seed);
        for (Limit limit : List.of(
                Limit.of(3, PERIOD),
                Limit.of(40, PERIOD),
                Limit.concurrency(3),
                Limit.tokenBucket(5, 3, PERIOD),
                Limit.leakyBucket(3, PERIOD).withSlack(1),
                Limit.slidingWindow(6, PERIOD, 3),
                Limit.fixedWindow(3, PERIOD),
                Limit.fixedWindow(3, PERIOD).aligned(),
                Limit.allOf(Limit.of(3, PERIOD), Limit.tokenBucket(5, 2, PERIOD)),
                Limit.of(3, PERIOD).countingCalls())) {
            SteppedTime clock = new SteppedTime(random.nextLong());
            PartitionedRateLimiter<Integer> forgetful = PartitionedRateLimiter.<Integer>builder(key -> limit)
                    .timeSource(clock)
                    .build();
            Map<Integer, RateLimiter> mindful = new HashMap<>();
            List<Lease[]> leases = new ArrayList<>();
            for (int step = 0; step < 3_000; step++) {
                String where = "seed " + seed + ", " + limit + ", step " + step;
                int key = random.nextInt(4);
                RateLimiter left = forgetful.forKey(key);
                RateLimiter right = mindful.computeIfAbsent(
                        key, k -> RateLimiter.builder(limit).timeSource(clock).build());
                int permits = random.nextInt(3);
                switch (random.nextInt(8)) {
                    case 0 -> clock.advanceBy(random.nextLong(PERIOD.toNanos() * 2));
                    case 1 -> {
                        left.charge(permits);
                        right.charge(permits);
                    }
                    case 2 -> {
                        if (!leases.isEmpty()) {
                            Lease[] both = leases.remove(random.nextInt(leases.size()));
                            end(both[0], permits, step);
                            end(both[1], permits, step);
                        }
                    }
                    case 3 -> {
                        if (random.nextInt(10) == 0) {
                            left.pauseFor(PERIOD.dividedBy(2));
                            right.pauseFor(PERIOD.dividedBy(2));
                        }
                    }
                    case 4 -> forgetful.keyCount();
                    default -> {
                        Lease[] both = {left.tryAcquire(permits), right.tryAcquire(permits)};
                        assertThat(both[0].isAcquired()).as(where).isEqualTo(both[1].isAcquired());
                        assertThat(both[0].reason()).as(where).isEqualTo(both[1].reason());
                        assertThat(both[0].retryAfter()).as(where).isEqualTo(both[1].retryAfter());
                        leases.add(both);
                    }
                }
                assertThat(left.availablePermits()).as(where).isEqualTo(right.availablePermits());
            }
        }
    }

    private static void end(Lease lease, int permits, int step) {
        switch (step % 3) {
            case 0 -> lease.giveBack();
            case 1 -> lease.settle(permits);
            default -> lease.close();
        }
        lease.close();
    }

    @ParameterizedTest(name = "as it is asked for a fresh one: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a key whose limit fails keeps its place, and callers with other keys do not hear of it")
    void failingLimit(boolean inMaking) {
        Failing failing = new Failing(inMaking);
        PartitionedRateLimiter<String> table = PartitionedRateLimiter.<String>builder(
                        key -> key.equals("failing") ? failing : Limit.of(2, PERIOD))
                .timeSource(time)
                .maximumKeys(3)
                .build();
        assertThat(table.tryAcquire("failing", 1).isAcquired()).isTrue();
        Lease late = table.tryAcquire("late", 1);
        failing.fails = true;
        assertThat(table.tryAcquire("known", 1).isAcquired()).isTrue();
        assertThat(table.tryAcquire("further", 1).retryAfter()).contains(PERIOD);

        time.advanceBy(PERIOD);
        RateLimiter known = table.forKey("known");
        for (int call = 0; call < 1_000; call++) {
            assertThat(known.tryAcquire().isAcquired()).isEqualTo(call < 2);
        }
        assertThat(table.keyCount()).as("without the late").isEqualTo(2);
        late.settle(3);
        assertThat(table.forKey("late").availablePermits()).isZero();

        failing.fails = false;
        time.advanceBy(PERIOD);
        assertThat(table.keyCount()).isZero();
    }

    /** A limit of one permit that fails to make policies, or whose policies fail to tell when they are full. */
    private static final class Failing implements Limit {

        private final boolean inMaking;
        private boolean fails;

        private Failing(boolean inMaking) {
            this.inMaking = inMaking;
        }

        @Override
        public int capacity() {
            return 1;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            failIf(inMaking);
            PermitPolicy policy = Limit.of(1, PERIOD).newPolicy(nowNanos);
            return (PermitPolicy) Proxy.newProxyInstance(
                    PermitPolicy.class.getClassLoader(),
                    new Class<?>[] {PermitPolicy.class},
                    (proxy, method, arguments) -> {
                        failIf(!inMaking && method.getName().equals("nanosUntilFull"));
                        return method.invoke(policy, arguments);
                    });
        }

        private void failIf(boolean here) {
            if (fails && here) {
                throw new IllegalStateException("on purpose");
            }
        }
    }

    /** A full table in which another thread is held up: it has retired the only key, and has not removed it yet. */
    private PartitionTable<Integer> heldUpWhileForgetting(boolean shares) {
        PartitionedRateLimiter.Builder<Integer> builder = PartitionedRateLimiter.<Integer>builder(
                        key -> Limit.of(2, PERIOD))
                .timeSource(time)
                .maximumKeys(1);
        PartitionTable<Integer> table =
                (PartitionTable<Integer>) (shares ? builder.overflowTo(Limit.of(1, PERIOD)) : builder).build();
        assertThat(table.tryAcquire(1, 2).isAcquired()).isTrue();
        time.advanceBy(PERIOD);
        assertThat(table.present(1)).isNotNull().matches(PermitEngine::retire);
        return table;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("a key that another thread is about to forget, and is held up, is as a fresh one to who asks for it")
    void comesBackWhileForgotten(boolean shares) {
        assertThat(heldUpWhileForgetting(shares).tryAcquire(1, 2).isAcquired()).isTrue();
        assertThat(heldUpWhileForgetting(shares).acquire(1, 2)).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(heldUpWhileForgetting(shares).forKey(1).tryConsume(2)).isTrue();
    }
}
