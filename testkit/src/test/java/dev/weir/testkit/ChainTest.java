package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ChainTest {

    private final VirtualTimeSource time = new VirtualTimeSource(Long.MAX_VALUE - 1_500_000_000);
    private final RateLimiter second = limiter("second", Limit.of(5, Duration.ofSeconds(1)));
    private final RateLimiter minute = limiter("minute", Limit.of(8, Duration.ofMinutes(1)));
    private final RateLimiter chain = RateLimiter.chain(second, minute);

    private RateLimiter limiter(String name, Limit limit) {
        return RateLimiter.builder(limit).name(name).timeSource(time).build();
    }

    @Test
    @DisplayName("passes what all members grant, and each of them has paid")
    void passesWhatAllGrant() {
        assertThat(chain.tryAcquire(3).isAcquired()).isTrue();
        assertThat(second.availablePermits()).isEqualTo(2);
        assertThat(minute.availablePermits()).isEqualTo(5);
        assertThat(chain.availablePermits()).isEqualTo(2);
        assertThat(chain.statistics().acquired()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "a refusal by a later one leaves the earlier ones as if never asked, and says who refused and when to retry")
    void aRefusalByALaterOneBurnsNothing() {
        assertThat(minute.tryAcquire(6).isAcquired()).isTrue();

        Lease refused = chain.tryAcquire(3);
        assertThat(refused.reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(refused.refusedBy()).contains("minute");
        assertThat(refused.retryAfter()).contains(Duration.ofMinutes(1));
        assertThat(second.availablePermits()).isEqualTo(5);
        assertThat(second.statistics().acquired()).isZero();
    }

    @Test
    @DisplayName(
            "retryAfter is that of the member that takes longest: then it succeeds, a nanosecond before it does not")
    void retryAfterIsThatOfTheSlowest() {
        assertThat(chain.tryAcquire(5).isAcquired()).isTrue();
        time.advanceBy(Duration.ofMillis(300));
        assertThat(minute.tryAcquire(3).isAcquired()).isTrue();

        Duration retry = chain.tryAcquire(4).retryAfter().orElseThrow();
        assertThat(retry).isEqualTo(Duration.ofMillis(59_700));
        time.advanceBy(retry.minusNanos(1));
        assertThat(chain.tryAcquire(4).isAcquired()).isFalse();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(chain.tryAcquire(4).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a waiting request holds no permit of any member")
    void whoWaitsHoldsNothing() {
        assertThat(minute.tryAcquire(8).isAcquired()).isTrue();
        CompletableFuture<Lease> waiting = chain.acquire(5);

        assertThat(second.availablePermits()).isEqualTo(5);
        assertThat(second.tryAcquire(2).isAcquired()).isTrue();
        time.advanceBy(Duration.ofSeconds(59));
        assertThat(waiting).isNotDone();
        assertThat(second.tryAcquire(5).isAcquired()).isTrue();
        time.advanceBy(Duration.ofSeconds(1).minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("goes on from one busy member to the next, in the order of the chain's queue, as fast as both allow")
    void waitersGoInOrder() {
        List<Integer> order = new ArrayList<>();
        EmissionTimes times = EmissionTimes.record(time);
        IntStream.range(0, 20)
                .forEach(i -> chain.acquire(1, lease -> {
                    order.add(i);
                    times.add();
                }));
        for (int tick = 0; tick < 200; tick++) {
            time.advanceBy(Duration.ofSeconds(1));
        }
        assertThat(order)
                .containsExactlyElementsOf(IntStream.range(0, 20).boxed().toList());
        times.neverExceeds(5, Duration.ofSeconds(1));
        times.neverExceeds(8, Duration.ofMinutes(1));
        assertThat(chain.statistics().acquired()).isEqualTo(20);
        assertThat(second.statistics().acquired()).isEqualTo(20);
        assertThat(minute.statistics().acquired()).isEqualTo(20);
    }

    @Test
    @DisplayName("cancel gives up the place in the member's queue too, and lets the next go")
    void cancelGivesUpThePlace() {
        RateLimiter slots = limiter("slots", Limit.concurrency(2));
        RateLimiter both = RateLimiter.chain(second, slots);
        Lease held = both.tryAcquire(2);
        PermitRequest first = both.acquire(2, lease -> {});
        CompletableFuture<Lease> next = both.acquire(1);

        assertThat(first.cancel()).isTrue();
        assertThat(first.cancel()).isFalse();
        assertThat(next).isNotDone();
        held.settle(1);
        assertThat(next).isCompletedWithValueMatching(Lease::isAcquired);
        held.close();
        assertThat(slots.availablePermits()).isEqualTo(1);
        next.join().close();
        assertThat(slots.availablePermits()).isEqualTo(2);
        assertThat(slots.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("two chains over the same members in opposite orders share them")
    void oppositeOrdersShare() {
        RateLimiter one = limiter("one", Limit.of(1, Duration.ofMillis(10)));
        RateLimiter other = limiter("other", Limit.of(1, Duration.ofMillis(10)));
        List<String> granted = new ArrayList<>();
        RateLimiter there = RateLimiter.chain(one, other);
        RateLimiter back = RateLimiter.chain(other, one);
        for (int i = 0; i < 100; i++) {
            there.acquire(1, lease -> granted.add("there"));
            back.acquire(1, lease -> granted.add("back"));
        }
        for (int tick = 0; tick < 100; tick++) {
            time.advanceBy(Duration.ofMillis(10));
        }
        assertThat(granted).hasSizeBetween(99, 101);
        assertThat(granted).filteredOn("there"::equals).hasSizeGreaterThan(20);
        assertThat(granted).filteredOn("back"::equals).hasSizeGreaterThan(20);
    }

    @Test
    @DisplayName("a pause lets nobody pass and holds nothing at the members")
    void pauseHoldsNothing() {
        chain.pauseFor(Duration.ofSeconds(3));
        assertThat(chain.tryAcquire().reason()).contains(RefusalReason.PAUSED);
        CompletableFuture<Lease> waiting = chain.acquire();
        assertThat(second.availablePermits()).isEqualTo(5);
        time.advanceBy(Duration.ofSeconds(3).minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName("a wait has its bound, and the refusal of a member's queue is the chain's")
    void refusalsWhileWaiting() {
        assertThat(minute.tryAcquire(8).isAcquired()).isTrue();
        List<Lease> answers = new ArrayList<>();
        chain.acquire(1, Duration.ofSeconds(10), answers::add);
        chain.acquire(1, Duration.ZERO, answers::add);
        assertThat(answers)
                .extracting(lease -> lease.reason().orElseThrow())
                .containsExactly(RefusalReason.MAX_WAIT, RefusalReason.EXHAUSTED);

        RateLimiter noQueue = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
                .name("no queue")
                .queueLimit(0)
                .timeSource(time)
                .build();
        RateLimiter overIt = RateLimiter.chain(second, noQueue);
        assertThat(overIt.acquire().join().isAcquired()).isTrue();
        Lease refused = overIt.acquire().join();
        assertThat(refused.reason()).contains(RefusalReason.QUEUE_FULL);
        assertThat(refused.refusedBy()).contains("no queue");
        assertThat(second.availablePermits()).isEqualTo(4);
    }

    @Test
    @DisplayName("settling, undoing and charging reach every member")
    void leasesReachEveryMember() {
        Lease lease = chain.tryAcquire(4);
        lease.settle(1);
        assertThat(second.availablePermits()).isEqualTo(4);
        assertThat(minute.availablePermits()).isEqualTo(7);

        chain.tryAcquire(2).giveBack();
        assertThat(second.availablePermits()).isEqualTo(4);
        assertThat(chain.statistics().acquired()).isEqualTo(1);

        chain.charge(2);
        assertThat(second.availablePermits()).isEqualTo(2);
        assertThat(minute.availablePermits()).isEqualTo(5);
        assertThat(chain.idleDuration()).isEmpty();
    }

    @Test
    @DisplayName("closing refuses who waits and closes no member")
    void closing() {
        assertThat(minute.tryAcquire(8).isAcquired()).isTrue();
        CompletableFuture<Lease> waiting = chain.acquire();
        chain.close();
        chain.close();

        assertThat(waiting.join().reason()).contains(RefusalReason.CLOSED);
        assertThat(minute.statistics().queuedPermits()).isZero();
        assertThat(second.tryAcquire().isAcquired()).isTrue();
        assertThatIllegalStateException().isThrownBy(chain::tryAcquire);
    }

    @Test
    @DisplayName("with a closed member a chain is as closed, and nothing is taken from the others")
    void aClosedMember() {
        minute.close();
        assertThatIllegalStateException().isThrownBy(chain::tryAcquire);
        assertThatIllegalStateException().isThrownBy(chain::acquire);
        assertThat(second.availablePermits()).isEqualTo(5);
    }

    @Test
    @DisplayName("bad input")
    void badInput() {
        assertThatIllegalArgumentException().isThrownBy(RateLimiter::chain).withMessageContaining("at least 1");
        assertThatNullPointerException().isThrownBy(() -> RateLimiter.chain(second, null));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> chain.tryAcquire(6))
                .withMessageContaining("5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> chain.tryAcquire(-1))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException().isThrownBy(() -> chain.reconfigure(Limit.of(1, Duration.ofSeconds(1))));
    }
}
