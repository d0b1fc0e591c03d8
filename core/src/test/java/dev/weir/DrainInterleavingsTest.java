package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.WaitingRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What others do while the drain is in the middle of a pass, or has been left for good. */
class DrainInterleavingsTest {

    private static final long DUE = 100;

    private final SteppedTime time = new SteppedTime(0);
    private final Policy policy = new Policy();
    private final List<Optional<RefusalReason>> answers = new ArrayList<>();

    /** Has permits from a time on, and lets something happen while it is asked. Belongs to one thread. */
    private static final class Policy extends StatelessPolicy {

        private long due = DUE;
        private boolean hasBooked;
        private final List<Long> deadlines = new ArrayList<>();
        private Runnable meanwhile = () -> {};
        private Runnable always = () -> {};
        private Runnable beforeItLooks = () -> {};

        @Override
        public long tryTake(int permits, long nowNanos) {
            always.run();
            Runnable once = meanwhile;
            meanwhile = () -> {};
            once.run();
            return Math.max(0, due - nowNanos);
        }

        @Override
        public long tryTakeFirst(WaitingRequest first, long waiting, long longestNanos, long nowNanos) {
            hasBooked = true;
            deadlines.add(nowNanos + longestNanos);
            return tryTake(first.permits(), nowNanos);
        }

        @Override
        public void cancelReservations() {
            hasBooked = false;
        }

        @Override
        public long nanosUntil(long ahead, int permits, long nowNanos) {
            Runnable once = beforeItLooks;
            beforeItLooks = () -> {};
            once.run();
            return Math.max(0, due - nowNanos);
        }

        @Override
        public long available(long nowNanos) {
            return due - nowNanos > 0 ? 0 : 5;
        }

        @Override
        public long nanosUntilFull(long nowNanos) {
            return Math.max(0, due - nowNanos);
        }
    }

    private RateLimiter.Builder limiter() {
        return RateLimiter.builder(Limit.of(5, Duration.ofNanos(DUE)))
                .policies((limit, key, now) -> policy)
                .timeSource(time);
    }

    private PermitRequest ask(RateLimiter limiter, int permits, long maxWaitNanos) {
        return limiter.acquire(permits, Duration.ofNanos(maxWaitNanos), lease -> answers.add(lease.reason()));
    }

    @Test
    @DisplayName("a caller that cancels and asks anew finds the room that it left")
    void asksAnew() {
        for (QueueOrder order : QueueOrder.values()) {
            RateLimiter limiter = limiter().queueLimit(3).queueOrder(order).build();
            ask(limiter, 1, 2 * DUE);
            PermitRequest leaving = ask(limiter, 1, 2 * DUE);
            PermitRequest other = ask(limiter, 1, 2 * DUE);
            policy.meanwhile = () -> {
                leaving.cancel();
                ask(limiter, 2, 2 * DUE);
            };
            other.cancel();
            assertThat(answers).as(order.name()).isEmpty();
            assertThat(limiter.statistics().queuedPermits()).as(order.name()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName(
            "a chain's request that is cancelled while another finds its place in the queue keeps its age until it has left")
    void cancelledWhileAnotherEnters() {
        RateLimiter member = limiter().build();
        policy.due = 1_000;
        List<String> served = new ArrayList<>();
        RateLimiter[] others = new RateLimiter[2];
        Lease[] held = new Lease[2];
        PermitRequest[] ofChains = new PermitRequest[2];
        for (int i = 0; i < 2; i++) {
            others[i] =
                    RateLimiter.builder(Limit.concurrency(1)).timeSource(time).build();
            held[i] = others[i].tryAcquire();
        }
        ofChains[0] = RateLimiter.chain(others[0], member).acquire(1, lease -> served.add("cancelled"));
        time.advanceBy(1);
        member.acquire(1, lease -> served.add("second"));
        time.advanceBy(1);
        ofChains[1] = RateLimiter.chain(others[1], member)
                .acquire(1, Duration.ofNanos(100_000), lease -> served.add("third"));
        time.advanceBy(1);
        member.acquire(1, lease -> served.add("fourth"));
        time.advanceBy(1);
        held[0].close();
        policy.beforeItLooks = ofChains[0]::cancel;
        held[1].close();
        assertThat(ofChains[0].isSettled()).as("cancelled meanwhile").isTrue();
        boolean[] hasGranted = new boolean[1];
        policy.always = () -> { // one at a time
            policy.due = hasGranted[0] ? time.nanoTime() + DUE : policy.due;
            hasGranted[0] = policy.due - time.nanoTime() <= 0;
        };
        time.advanceBy(1_000);
        time.advanceBy(DUE);
        time.advanceBy(DUE);
        assertThat(served).containsExactly("second", "third", "fourth");
    }

    @Test
    @DisplayName("a bounded request that comes after the pass began waits if its bound is just enough")
    void comesLater() {
        RateLimiter limiter = limiter().build();
        ask(limiter, 1, 2 * DUE);
        PermitRequest other = ask(limiter, 1, 2 * DUE);
        policy.meanwhile = () -> {
            time.advanceBy(5);
            ask(limiter, 1, DUE - 5);
        };
        other.cancel();
        assertThat(answers).isEmpty();
        time.advanceBy(DUE - 5);
        assertThat(answers).containsExactly(Optional.empty(), Optional.empty());
    }

    @Test
    @DisplayName("a bounded request that comes after the pass began waits, also as the first to be served")
    void comesLaterAndIsFirst() {
        for (QueueOrder order : QueueOrder.values()) {
            RateLimiter limiter = limiter().queueOrder(order).build();
            PermitRequest leaving = ask(limiter, 1, 2 * DUE);
            policy.meanwhile = () -> {
                time.advanceBy(5);
                leaving.cancel();
                ask(limiter, 1, DUE - 5);
            };
            ((BuiltInLimiter) limiter).signal();
            assertThat(answers).as(order.name()).isEmpty();
            assertThat(limiter.statistics().queuedPermits()).as(order.name()).isEqualTo(1);
            limiter.close();
            answers.clear();
            policy.due += 5;
        }
    }

    @Test
    @DisplayName("a store hears how long a request may wait that came later than the pass began")
    void maximumForAStore() {
        RateLimiter limiter = limiter().build();
        PermitRequest leaving = ask(limiter, 1, 2 * DUE);
        policy.meanwhile = () -> {
            time.advanceBy(5);
            leaving.cancel();
            ask(limiter, 1, DUE);
            policy.deadlines.clear();
        };
        ((BuiltInLimiter) limiter).signal();
        assertThat(policy.deadlines).isNotEmpty().containsOnly(5 + DUE);
    }

    @Test
    @DisplayName("the alarm of a key that was left, and comes late, takes nothing from who waits for the key now")
    void lateAlarm() {
        List<Runnable> alarms = new ArrayList<>();
        RateLimiter limiter = PartitionedRateLimiter.<String>builder(key -> Limit.of(5, Duration.ofNanos(DUE)))
                .policies((limit, key, now) -> policy)
                .timeSource(new DelegatingTime(time) {
                    @Override
                    public Cancellable schedule(Runnable task, long delayNanos) {
                        alarms.add(task);
                        return () -> {};
                    }
                })
                .build()
                .forKey("key");
        ask(limiter, 1, 2 * DUE).cancel();
        Runnable late = alarms.get(alarms.size() - 1);
        ask(limiter, 1, 2 * DUE);
        assertThat(policy.hasBooked).isTrue();
        late.run();
        assertThat(policy.hasBooked).isTrue();
    }

    @Test
    @DisplayName("a caller that cancels and asks anew for a busy key takes nothing from itself")
    void asksForAKeyAnew() {
        RateLimiter limiter = PartitionedRateLimiter.<String>builder(key -> Limit.of(5, Duration.ofNanos(DUE)))
                .policies((limit, key, now) -> policy)
                .timeSource(time)
                .build()
                .forKey("key");
        PermitRequest leaving = limiter.acquire(1, lease -> {});
        int[] passes = {0};
        policy.always = () -> {
            passes[0]++;
            if (passes[0] < PermitDrain.MOST_PASSES) {
                ((BuiltInLimiter) limiter).signal();
            } else if (passes[0] == PermitDrain.MOST_PASSES) {
                policy.beforeItLooks = leaving::cancel;
                ask(limiter, 1, 1);
            }
        };
        limiter.acquire(1, Duration.ofNanos(1), refused -> ask(limiter, 1, 2 * DUE));
        assertThat(passes[0]).isGreaterThan(PermitDrain.MOST_PASSES);
        assertThat(leaving.isSettled()).isTrue();
        assertThat(policy.hasBooked).isTrue();
    }
}
