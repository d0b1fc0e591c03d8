package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.Concurrently;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AllOfTest {

    private static final Duration MICRO = Duration.ofNanos(1000);

    @Test
    void decidesAsAllOfItsMembersDo() {
        TokenBucket bucket = new TokenBucket(10, 7, Duration.ofMillis(300));
        FixedWindow window = new FixedWindow(30, Duration.ofSeconds(2));
        SlidingWindowLog log = new SlidingWindowLog(20, Duration.ofSeconds(1));
        PolicyTraces.agreeOnTaking(Limit.allOf(bucket, window, log), () -> new All(log.permits(), bucket, window, log));
    }

    @Test
    void keepsTheBoundOfEachMemberAndWaitsExactly() {
        AllOf limit = Limit.allOf(
                new TokenBucket(10, 10, MICRO),
                new SlidingWindow(15, MICRO, 10),
                new SlidingWindowLog(100, MICRO.multipliedBy(20)));
        LimitLaws.boundHolds(limit, apart -> 10 + apart / 100);
        LimitLaws.boundHolds(limit, apart -> 15 * (apart / 1000 + 1));
        LimitLaws.boundHolds(limit, apart -> 100 * (apart / 20_000 + 1));
        LimitLaws.waitsAreExact(Limit.allOf(new TokenBucket(10, 10, MICRO), new SlidingWindow(15, MICRO, 10)));
    }

    @Test
    @Tag("storm")
    void theStrictestMemberIsFullyUsedAmongThreads() {
        AllOf limit = Limit.allOf(
                new FixedWindow(1_000_000, Duration.ofSeconds(1)),
                new TokenBucket(50, 1_000_000, Duration.ofSeconds(1)),
                new SlidingWindowCounter(10_000, Duration.ofMillis(1)));
        LimitLaws.holdsAmongThreads(limit, 100, 99, apart -> 50 + apart / 1000);
        LimitLaws.sumHoldsWhileReconfigured(limit, 100, apart -> 50 + apart / 1000);
    }

    @Test
    @Tag("storm")
    void nothingIsBurnedAmongThreads() {
        Watched generous = new Watched(new TokenBucket(1_000_000, 1_000_000, MICRO));
        Limit limit = Limit.allOf(generous, new TokenBucket(5, 1, MICRO), new Concurrency(3));
        PermitPolicy policy = limit.newPolicy(-1);
        AtomicLong clock = new AtomicLong();
        AtomicInteger out = new AtomicInteger();
        long granted = 0;
        for (long part : Concurrently.ask(8, thread -> grants(policy, clock, out, thread))) {
            granted += part;
        }
        assertThat(generous.taken.get()).isEqualTo(granted);
        assertThat(generous.returned.get()).isZero();
        assertThat(granted).isBetween(1L, 5 + clock.get() / 1000);
        assertThat(out.get()).isZero();
    }

    private static long grants(PermitPolicy policy, AtomicLong clock, AtomicInteger out, int thread) {
        SplittableRandom random = new SplittableRandom(thread);
        long granted = 0;
        for (int request = 0; request < 50_000; request++) {
            int permits = 1 + random.nextInt(2);
            long now = clock.addAndGet(100) - 1;
            if (policy.tryTake(permits, now) == PermitPolicy.TAKEN) {
                granted += permits;
                assertThat(out.addAndGet(permits)).isLessThanOrEqualTo(3);
                out.addAndGet(-permits);
                policy.release(permits, now);
            }
        }
        return granted;
    }

    @Test
    void waitsForASignalWhereTimeAloneDoesNotHelp() {
        AtomicInteger signals = new AtomicInteger();
        PermitPolicy policy =
                Limit.allOf(new Concurrency(2), new TokenBucket(5, 1, MICRO)).newPolicy(0);
        policy.signalTo(signals::incrementAndGet);
        assertThat(policy.returnsOnRelease()).isTrue();
        assertThat(policy.capacity()).isEqualTo(2);
        assertThat(policy.tryTake(2, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
        assertThat(policy.nanosUntilFull(0)).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
        policy.release(2, 0);
        policy.tryTake(2, 0);
        policy.release(2, 0);
        assertThat(policy.available(0)).isEqualTo(1);
        assertThat(policy.tryTake(2, 0)).isEqualTo(1000);
        assertThat(policy.nanosUntilFull(0)).isEqualTo(4000);
        assertThat(policy.nanosSinceFull(4010)).isEqualTo(10);
    }

    @Test
    void settlesEachMemberByItself() {
        PermitPolicy policy =
                Limit.allOf(new Concurrency(10), new TokenBucket(10, 1, MICRO)).newPolicy(0);
        policy.tryTake(4, 0);
        policy.settle(4, 1, false, 0, 0);
        policy.release(1, 0);
        assertThat(policy.available(0)).isEqualTo(9);
        policy.tryTake(4, 0);
        policy.release(4, 0);
        policy.settle(4, 7, true, 0, 0);
        assertThat(policy.available(0)).isEqualTo(2);
    }

    @Test
    void reconfiguresAllMembersOrNone() {
        PermitPolicy policy = Limit.allOf(new FixedWindow(10, MICRO), new TokenBucket(8, 1, MICRO))
                .newPolicy(0);
        policy.tryTake(5, 0);
        policy.reconfigure(Limit.allOf(new FixedWindow(20, MICRO), new TokenBucket(10, 1, MICRO)), 0);
        assertThat(policy.available(0)).isEqualTo(5);
        assertThat(policy.capacity()).isEqualTo(10);
        for (Limit other : List.of(
                Limit.allOf(new FixedWindow(30, MICRO), new FixedWindow(30, MICRO)),
                Limit.allOf(new FixedWindow(30, MICRO), new TokenBucket(30, 1, MICRO).refillingInSteps()),
                Limit.allOf(new FixedWindow(30, MICRO)),
                new FixedWindow(30, MICRO))) {
            assertThatIllegalArgumentException().isThrownBy(() -> policy.reconfigure(other, 0));
            assertThat(policy.available(0)).isEqualTo(5);
        }
    }

    @Test
    void isFlat() {
        Limit one = new Concurrency(1);
        Limit two = new Concurrency(2);
        assertThat(Limit.allOf(Limit.allOf(one, two), one)).isEqualTo(new AllOf(List.of(one, two, one)));
        assertThat(Limit.allOf(two, one).capacity()).isEqualTo(1);
    }

    @Test
    void refusesBadInput() {
        assertThatIllegalArgumentException().isThrownBy(Limit::allOf).withMessageStartingWith("limits must");
        assertThatNullPointerException()
                .isThrownBy(() -> Limit.allOf((Limit[]) null))
                .withMessage("limits");
        assertThatNullPointerException()
                .isThrownBy(() -> Limit.allOf(new Concurrency(1), null))
                .withMessage("limits[1]");
    }

    /** Counts what is taken and what is given back. */
    private record Watched(Limit limit, AtomicLong taken, AtomicLong returned) implements Limit {

        Watched(Limit limit) {
            this(limit, new AtomicLong(), new AtomicLong());
        }

        @Override
        public int capacity() {
            return limit.capacity();
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            PermitPolicy policy = limit.newPolicy(nowNanos);
            return new PermitPolicy() {
                @Override
                public long tryTake(int permits, long now) {
                    long wait = policy.tryTake(permits, now);
                    taken.addAndGet(wait == TAKEN ? permits : 0);
                    return wait;
                }

                @Override
                public void giveBack(int permits, long takenAtNanos, long now) {
                    returned.addAndGet(permits);
                    policy.giveBack(permits, takenAtNanos, now);
                }

                @Override
                public void charge(int permits, long now) {
                    policy.charge(permits, now);
                }

                @Override
                public long available(long now) {
                    return policy.available(now);
                }

                @Override
                public long nanosUntilFull(long now) {
                    return policy.nanosUntilFull(now);
                }

                @Override
                public long nanosUntil(long ahead, int permits, long now) {
                    return policy.nanosUntil(ahead, permits, now);
                }
            };
        }
    }

    /** The definition: all of them, each a policy of its own. */
    private static final class All implements ReferenceModel {

        private final int capacity;
        private final List<PermitPolicy> members;

        All(int capacity, Limit... limits) {
            this.capacity = capacity;
            this.members =
                    List.of(limits).stream().map(limit -> limit.newPolicy(0)).toList();
        }

        @Override
        public boolean fits(int permits, long at) {
            return members.stream().allMatch(member -> member.nanosUntil(0, permits, at) == 0);
        }

        @Override
        public void take(int permits, long at) {
            members.forEach(member -> assertThat(member.tryTake(permits, at)).isZero());
        }

        @Override
        public long available(long at) {
            return members.stream()
                    .mapToLong(member -> member.available(at))
                    .min()
                    .orElse(capacity);
        }
    }
}
