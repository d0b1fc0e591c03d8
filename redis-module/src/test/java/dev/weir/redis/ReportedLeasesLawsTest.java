package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.redis.LeaseStore.Mood;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Limits of concurrency whose store comes and goes: what a node tells that it holds is what its leases hold, whoever granted them. */
class ReportedLeasesLawsTest {

    private static final int PERMITS = 7;
    private static final Duration A_WHILE = Duration.ofSeconds(3);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final List<Lease> out = new ArrayList<>();
    private Node node = Nodes.node();
    private Runnable whenAsked = () -> {};
    private LeaseStore store = new LeaseStore(PERMITS);

    @BeforeEach
    void startAnew() {
        out.clear();
    }

    private RateLimiter limiter(Limit limit, int nodes, WhenUnavailable whenUnavailable) {
        return limiter(
                limit,
                nodes,
                whenUnavailable,
                QueueOrder.OLDEST_FIRST,
                Duration.ofDays(1).toNanos());
    }

    private RateLimiter limiter(
            Limit limit, int nodes, WhenUnavailable whenUnavailable, QueueOrder order, long pollNanos) {
        NodeSettings settings = new TestSettings()
                .pollNanos(pollNanos)
                .renewNanos(300_000_000)
                .whenUnavailable(whenUnavailable)
                .nodes(nodes)
                .build();
        return ModelFleet.builder(limit, this::ask, node, settings)
                .timeSource(time)
                .queueOrder(order)
                .build();
    }

    private void ask(Limit limit, Question question, Store.Listener listener) {
        Runnable first = whenAsked;
        whenAsked = () -> {};
        first.run();
        store.ask(limit, question, listener);
    }

    private Lease taken(RateLimiter limiter, int permits) {
        CompletableFuture<Lease> asked = limiter.acquire(permits);
        time.advanceBy(Duration.ofMillis(50));
        assertThat(asked).isCompletedWithValueMatching(Lease::isAcquired);
        return asked.join();
    }

    private void comeBack(RateLimiter limiter) {
        store.is(Mood.ANSWERS);
        for (int i = 0; i < 3; i++) {
            time.advanceBy(A_WHILE);
            limiter.tryAcquire().close();
        }
        time.advanceBy(A_WHILE);
    }

    @Test
    @DisplayName("a lease of the store closed while it hangs, and then one of this node: all is there again")
    void closedInAnotherOrder() {
        RateLimiter limiter = limiter(Limit.concurrency(PERMITS), 1, WhenUnavailable.LOCAL);
        Lease remote = taken(limiter, 2);
        store.is(Mood.HANGS);
        Lease alone = taken(limiter, 3);
        assertThat(List.of(remote.source(), alone.source()))
                .containsExactly(DecisionSource.REMOTE, DecisionSource.FALLBACK);
        remote.close();
        alone.close();
        comeBack(limiter);
        assertThat(store.held).isZero();
        assertThat(taken(limiter, PERMITS).source()).isEqualTo(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("a lease granted alone counts at the store when it is back")
    void stillOut() {
        RateLimiter limiter = limiter(Limit.concurrency(PERMITS), 1, WhenUnavailable.LOCAL);
        store.is(Mood.FAILS);
        Lease alone = taken(limiter, 3);
        comeBack(limiter);
        assertThat(store.held).isEqualTo(3);
        assertThat(limiter.tryAcquire(PERMITS - 2).isAcquired()).isFalse();
        assertThat(limiter.idleDuration()).as("while a permit is out").isEmpty();
        alone.close();
        assertThat(store.held).isZero();
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("a request that waits for leases of another node goes when they end")
    void heldByOthers(QueueOrder order) {
        RateLimiter limiter = limiter(Limit.concurrency(PERMITS), 1, WhenUnavailable.LOCAL, order, 100_000_000);
        store.heldByOthers = PERMITS;
        CompletableFuture<Lease> waiting = limiter.acquire();
        time.advanceBy(A_WHILE);
        assertThat(waiting).isNotDone();
        store.heldByOthers = 0;
        time.advanceBy(Duration.ofMillis(101));
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("a request that waits for any permit of another node goes when one ends")
    void anyHeldByOthers(QueueOrder order) {
        RateLimiter limiter = limiter(Limit.concurrency(PERMITS), 1, WhenUnavailable.LOCAL, order, 100_000_000);
        store.heldByOthers = PERMITS;
        CompletableFuture<Lease> waiting = limiter.acquire(0);
        time.advanceBy(A_WHILE);
        assertThat(waiting).isNotDone();
        store.heldByOthers = PERMITS - 1;
        time.advanceBy(Duration.ofMillis(101));
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
        time.advanceBy(A_WHILE);
        assertThat(time.pendingTasks()).as("nobody waits").isZero();
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName(
            "a lease that is closed while the store hears nothing is told of when it does, though nobody asks then")
    void closedUnheard(WhenUnavailable choice) {
        for (Mood trouble : List.of(Mood.FAILS, Mood.HANGS)) {
            RateLimiter limiter = limiter(Limit.concurrency(PERMITS), 1, choice);
            Lease lease = taken(limiter, 2);
            store.is(trouble);
            lease.close();
            time.advanceBy(A_WHILE);
            assertThat(limiter.tryAcquire(0).isAcquired()).isEqualTo(choice != WhenUnavailable.REFUSE);
            store.is(Mood.ANSWERS);
            time.advanceBy(A_WHILE);
            assertThat(store.held).as("%s", trouble).isZero();
            time.advanceBy(A_WHILE);
            assertThat(time.pendingTasks()).as("all has been told").isZero();
        }
    }

    private void checkNothingOnRecord() {
        store.is(Mood.ANSWERS);
        time.advanceBy(A_WHILE);
        assertThat(store.held).isZero();
        time.advanceBy(A_WHILE);
        assertThat(time.pendingTasks()).as("all has been told").isZero();
    }

    @Test
    @DisplayName("a lease of this node closed unheard is reported, though the store's answer was lost")
    void grantedAloneAndClosedUnheard() {
        RateLimiter limiter = limiter(Limit.concurrency(PERMITS), 1, WhenUnavailable.LOCAL);
        store.is(Mood.FAILS);
        Lease alone = taken(limiter, 3);
        store.is(Mood.HANGS);
        time.advanceBy(A_WHILE);
        assertThat(store.held).isEqualTo(3);
        alone.close();
        time.advanceBy(A_WHILE);
        checkNothingOnRecord();
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("a lease the store granted unheard is reported as closed")
    void grantedUnheard(WhenUnavailable choice) {
        RateLimiter limiter = limiter(Limit.concurrency(PERMITS), 1, choice);
        store.is(Mood.HANGS);
        CompletableFuture<Lease> asked = limiter.acquire(2);
        time.advanceBy(Duration.ofMillis(50));
        assertThat(store.held).isEqualTo(2);
        asked.join().close();
        time.advanceBy(A_WHILE);
        checkNothingOnRecord();
    }

    @Test
    @DisplayName("a question that the store has surely not heard leaves nothing to tell")
    void surelyUnheard() {
        RateLimiter limiter = limiter(Limit.concurrency(PERMITS), 1, WhenUnavailable.REFUSE);
        store.is(Mood.TAKES_NO_CALLS);
        assertThat(limiter.acquire(2).join().isAcquired()).isFalse();
        time.advanceBy(A_WHILE);
        assertThat(time.pendingTasks()).as("nobody probes").isZero();
    }

    @Test
    @DisplayName("a node that leaves while it renews gives back what it holds all the same")
    void leavingWhileItRenews() {
        RateLimiter limiter = limiter(Limit.concurrency(PERMITS), 1, WhenUnavailable.LOCAL);
        assertThat(taken(limiter, 2).source()).isEqualTo(DecisionSource.REMOTE);
        whenAsked = node::leave;
        time.advanceBy(A_WHILE);
        assertThat(store.held).isZero();
        assertThat(time.pendingTasks()).as("renews nothing").isZero();
    }

    @Test
    @DisplayName("a lease larger than the share returns to it no more than it took")
    void largerThanTheShare() {
        RateLimiter limiter = limiter(Limit.concurrency(PERMITS), 3, WhenUnavailable.LOCAL);
        store.is(Mood.FAILS);
        for (int i = 0; i < 3; i++) {
            taken(limiter, 5).close();
        }
        assertThat(limiter.tryAcquire(PERMITS / 3).isAcquired()).isTrue();
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
    }

    private void begin(RateLimiter limiter, int permits) {
        limiter.acquire(permits, lease -> {
            if (lease.isAcquired()) {
                out.add(lease);
            }
        });
    }

    private void cancelled(CompletableFuture<Lease> asked) {
        if (!asked.cancel(false) && asked.join().isAcquired()) {
            out.add(asked.join()); // which was granted at once
        }
    }

    private void end(Random random) {
        if (!out.isEmpty()) {
            Lease lease = out.remove(random.nextInt(out.size()));
            switch (random.nextInt(4)) {
                case 0 -> lease.giveBack();
                case 1 -> {
                    lease.settle(random.nextInt(lease.permits() + 1));
                    lease.close();
                }
                default -> lease.close();
            }
        }
    }

    private void play(RateLimiter limiter, Random random) {
        List<Mood> moods = List.of(Mood.ANSWERS, Mood.ANSWERS, Mood.FAILS, Mood.HANGS);
        for (int step = 0; step < 200; step++) {
            switch (random.nextInt(10)) {
                case 0 -> store.is(moods.get(random.nextInt(moods.size())));
                case 1, 2, 3 -> begin(limiter, 1 + random.nextInt(3));
                case 4 -> cancelled(limiter.acquire(1 + random.nextInt(3)));
                case 5, 6, 7 -> end(random);
                default -> time.advanceBy(Duration.ofMillis(random.nextInt(200)));
            }
        }
    }

    @Test
    @DisplayName(
            "however leases of the store and of this node mix and end, all that is told of in the end is nothing, and all is there")
    void conserved() {
        Limit limit = Limit.concurrency(PERMITS);
        Limit calls = limit.countingCalls();
        Limit both = Limit.allOf(Limit.of(100_000, Duration.ofSeconds(1)), limit, calls);
        for (Limit each : List.of(limit, calls, both)) {
            for (int nodes : new int[] {1, 3}) {
                for (WhenUnavailable choice : WhenUnavailable.values()) {
                    for (long seed = 1; seed <= 30; seed++) {
                        conserved(each, nodes, choice, new Random(seed), seed);
                    }
                }
            }
        }
    }

    private void conserved(Limit limit, int nodes, WhenUnavailable choice, Random random, long seed) {
        store = new LeaseStore(PERMITS);
        node = Nodes.node();
        RateLimiter limiter = limiter(limit, nodes, choice);
        play(limiter, random);
        while (!out.isEmpty()) {
            end(random);
            time.advanceBy(Duration.ofMillis(random.nextInt(100)));
        }
        comeBack(limiter);
        while (!out.isEmpty()) {
            out.remove(0).close(); // of those who had to wait until then
            time.advanceBy(A_WHILE);
        }
        String what = limit + " of " + nodes + ", " + choice + ", seed " + seed;
        assertThat(List.of(store.held, store.heldCalls)).as(what).containsExactly(0L, 0L);
        Lease all = taken(limiter, PERMITS);
        assertThat(all.source()).as(what).isEqualTo(DecisionSource.REMOTE);
        all.close();
        shareIsWhole(limiter, PERMITS / nodes, choice, what);
    }

    private void shareIsWhole(RateLimiter limiter, int share, WhenUnavailable choice, String what) {
        store.is(Mood.FAILS);
        limiter.acquire().join().close();
        if (choice == WhenUnavailable.LOCAL) {
            for (int i = 0; i < share; i++) {
                Lease lease = limiter.tryAcquire();
                assertThat(lease.isAcquired())
                        .as("%s: %d of the share", what, i)
                        .isTrue();
                out.add(lease);
            }
            assertThat(limiter.tryAcquire().isAcquired()).as(what).isFalse();
            out.forEach(Lease::close);
            out.clear();
        }
    }
}
