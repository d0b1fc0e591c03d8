package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nobody can tell when a lease ends: who waits for that within a bound is refused when the time is up, and no sooner. */
class BoundedWaitForALeaseTest {

    private static final Duration TRIP = Duration.ofMillis(1);
    private static final Duration POLL = Duration.ofMillis(100);

    /** Less than a poll, around one, and some; just after a poll, and just before one. */
    private static final List<Integer> BOUNDS = List.of(5, 20, 50, 90, 100, 110, 200, 202, 250, 300, 990);

    private static final List<Limit> LIMITS =
            List.of(Limit.concurrency(1), Limit.allOf(Limit.of(1_000, Duration.ofSeconds(1)), Limit.concurrency(1)));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);

    private RateLimiter limiter(Limit limit, QueueOrder order, Function<Limit, Store> storeOf) {
        NodeSettings settings = new TestSettings()
                .pollNanos(POLL.toNanos())
                .renewNanos(3_000_000_000L)
                .build();
        return ModelFleet.builder(
                        limit,
                        (kept, clock) -> new DistantStore(storeOf.apply(kept), clock, TRIP.toNanos()),
                        Nodes.node(),
                        settings)
                .timeSource(time)
                .queueOrder(order)
                .build();
    }

    private RateLimiter limiter(Limit limit, QueueOrder order) {
        return limiter(limit, order, kept -> new ModelStore(kept, time));
    }

    private static CompletableFuture<Lease> ask(RateLimiter limiter, int boundMillis) {
        CompletableFuture<Lease> answer = new CompletableFuture<>();
        PermitRequest unused = limiter.acquire(1, Duration.ofMillis(boundMillis), answer::complete);
        return answer;
    }

    private Lease taken(RateLimiter limiter) {
        CompletableFuture<Lease> asked = limiter.acquire();
        time.advanceBy(TRIP);
        assertThat(asked).isCompletedWithValueMatching(Lease::isAcquired);
        return asked.join();
    }

    private void advance(int millis) {
        time.advanceBy(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("whenever the lease is closed on this node, while there is the time to ask, who waits has it")
    void closedHere(QueueOrder order) {
        for (Limit limit : LIMITS) {
            for (int bound : BOUNDS) {
                for (int closed : List.of(1, bound / 2, bound - 4)) {
                    String what = "%s within %d ms, closed after %d".formatted(limit, bound, closed);
                    RateLimiter limiter = limiter(limit, order);
                    Lease lease = taken(limiter);
                    CompletableFuture<Lease> waiting = ask(limiter, bound);
                    advance(closed);
                    assertThat(waiting).as(what).isNotDone();
                    lease.close();
                    advance(3);
                    assertThat(waiting).as(what).isCompletedWithValueMatching(Lease::isAcquired);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("if no lease is closed, who waits is refused when the time is up, whether first of the queue or not")
    void closedNowhere(QueueOrder order) {
        for (Limit limit : LIMITS) {
            for (int bound : BOUNDS) {
                String what = "%s within %d ms".formatted(limit, bound);
                RateLimiter limiter = limiter(limit, order);
                Lease lease = taken(limiter);
                List<CompletableFuture<Lease>> waiting = List.of(ask(limiter, bound), ask(limiter, bound));
                time.advanceBy(Duration.ofMillis(bound).minusNanos(1));
                assertThat(waiting).as(what).allSatisfy(each -> assertThat(each).isNotDone());
                time.advanceBy(Duration.ofNanos(1));
                assertThat(waiting).as(what).allSatisfy(each -> {
                    assertThat(each).isDone();
                    assertThat(each.join().reason()).contains(RefusalReason.MAX_WAIT);
                });
                lease.close();
                advance(1_000);
                assertThat(limiter.idleDuration()).as("%s: all is back", what).isPresent();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("a bounded request sees a lease closed on another node at the next poll")
    void closedElsewhere(QueueOrder order) {
        for (int closed : List.of(0, 1, 50, 99, 100, 101, 140, 250)) {
            LeaseStore store = new LeaseStore(1);
            RateLimiter limiter = limiter(Limit.concurrency(1), order, kept -> store);
            store.heldByOthers = 1;
            CompletableFuture<Lease> waiting = ask(limiter, closed + 102);
            advance(closed);
            assertThat(waiting).as("closed after %d ms", closed).isNotDone();
            store.heldByOthers = 0;
            advance(101);
            assertThat(waiting).as("closed after %d ms", closed).isCompletedWithValueMatching(Lease::isAcquired);
        }
    }

    @Test
    @DisplayName(
            "while this node takes no more than its share after an outage, a lease of the share may be closed as well")
    void closedOfTheShare() {
        Limit limit = Limit.allOf(Limit.of(1_000, Duration.ofSeconds(1)), Limit.concurrency(4));
        ModelStore model = new ModelStore(limit, time);
        boolean[] isAway = {true};
        Store store = (kept, question, listener) -> {
            if (isAway[0]) {
                listener.failed(new IllegalStateException("away"));
            } else {
                model.ask(kept, question, listener);
            }
        };
        RateLimiter limiter = ModelFleet.builder(limit, store, ModelFleet.settings(WhenUnavailable.LOCAL, 2))
                .timeSource(time)
                .build();
        Lease first = limiter.acquire().join();
        Lease second = limiter.acquire().join();
        assertThat(List.of(first, second))
                .allSatisfy(lease -> assertThat(lease.isAcquired()).isTrue());
        isAway[0] = false;
        advance(100);
        assertThat(limiter.tryAcquire(0).isAcquired())
                .as("there is more than the share")
                .isFalse();
        assertThat(limiter.tryAcquire(0).source()).isEqualTo(DecisionSource.REMOTE);
        CompletableFuture<Lease> waiting = ask(limiter, 200);
        advance(100);
        assertThat(waiting).isNotDone();
        second.close();
        advance(1);
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName("the time that another part of a limit names counts as before: what cannot fit is refused at once")
    void anotherPartSays() {
        Limit limit = Limit.allOf(Limit.of(1, Duration.ofSeconds(1)), Limit.concurrency(1));
        RateLimiter limiter = limiter(limit, QueueOrder.OLDEST_FIRST);
        taken(limiter).close();
        advance(300);
        CompletableFuture<Lease> tooShort = ask(limiter, 500);
        advance(1);
        assertThat(tooShort).isDone();
        assertThat(tooShort.join().reason()).contains(RefusalReason.MAX_WAIT);
        CompletableFuture<Lease> longEnough = ask(limiter, 800);
        advance(800);
        assertThat(longEnough).isCompletedWithValueMatching(Lease::isAcquired);
    }
}
