package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Contracts that are held against limiters with one fault each. */
class ContractsNoticeTest {

    @Test
    @DisplayName("a limit that gives back what others took")
    void givesBackTwice() {
        LeaseContract contract = new LeaseContract(bucket(TwiceGivenBack::new), 0) {};
        notices(contract::givingBackReturnsNothingThatOthersTook);
    }

    @Test
    @DisplayName("a limit that returns what a lease has not used, though closing it has returned all")
    void settlesWhatIsBack() {
        LeasingContract contract = new LeasingContract(leased(SettledThoughReleased::new), 0) {};
        notices(contract::settlingReturnsOnceWhatWasNotUsedAndNothingOfWhatIsBack);
    }

    @Test
    @DisplayName("a limit that nothing comes back to, without waiting for it")
    void returnsNothing() {
        FutureContract contract = new FutureContract(leased(NeverReleased::new), 0) {};
        notices(contract::cancellingAStageBehindLeavesTheRequestAlone);
    }

    @Test
    @DisplayName("a limiter that leaves its timer behind, by time or by leases")
    void leavesTimers() {
        Fault fault = (time, task, delayNanos) -> {
            time.schedule(task, delayNanos);
            return () -> {};
        };
        notices(new TimerContract(timed(ContractsNoticeTest::bucketOf, fault), 0) {}::noneIsLeftOnceNobodyWaits);
        notices(
                new MaxWaitContract(timed(ContractsNoticeTest::bucketOf, fault), 0) {}
                        ::leavingBeforeTheTimeIsUpLeavesNoTimer);
        notices(
                new LeasingContract(timed(ContractsNoticeTest::slotsOf, fault), 0) {}
                        ::leavingABoundedWaitLeavesNoTimer);
    }

    @Test
    @DisplayName("a limiter that sets two timers, by time or by leases, and whoever goes first")
    void setsTwoTimers() {
        Fault fault = (time, task, delayNanos) -> {
            TimeSource.Cancellable first = time.schedule(task, delayNanos);
            TimeSource.Cancellable second = time.schedule(task, delayNanos);
            return () -> {
                first.cancel();
                second.cancel();
            };
        };
        notices(new TimerContract(timed(ContractsNoticeTest::bucketOf, fault), 0) {}::onlyOneIsPendingHoweverManyWait);
        notices(new NewestFirstContract(timed(ContractsNoticeTest::bucketOf, fault), 0) {}::theNewestGoFirst);
        notices(new LeasingContract(timed(ContractsNoticeTest::slotsOf, fault), 0) {}::aBoundedWaitEndsInTime);
    }

    @Test
    @DisplayName("a limiter that lets wait without a timer who is to wait for a time only")
    void waitsWithoutATimer() {
        Fault fault = (time, task, delayNanos) -> {
            try {
                return time.schedule(task, delayNanos);
            } catch (RejectedExecutionException refused) {
                return () -> {};
            }
        };
        notices(
                new TimerContract(timed(ContractsNoticeTest::bucketOf, fault), 0) {}
                        ::whoCannotBeTimedIsRefusedWithTheCause);
        notices(
                new LeasingContract(timed(ContractsNoticeTest::slotsOf, fault), 0) {}
                        ::whoseBoundCannotBeTimedIsRefusedWithTheCause);
    }

    private static void notices(ThrowingCallable test) {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(test);
    }

    private static Limit bucketOf(int permits, Duration period) {
        return Limit.tokenBucket(permits, permits, period);
    }

    private static Limit slotsOf(int permits, Duration unused) {
        return Limit.concurrency(permits);
    }

    private static ContractSubject bucket(UnaryOperator<PermitPolicy> fault) {
        return subject(ContractsNoticeTest::bucketOf, fault);
    }

    private static ContractSubject leased(UnaryOperator<PermitPolicy> fault) {
        return subject(ContractsNoticeTest::slotsOf, fault);
    }

    private static ContractSubject subject(
            BiFunction<Integer, Duration, Limit> limits, UnaryOperator<PermitPolicy> fault) {
        return new ContractSubject() {
            @Override
            public RateLimiter.Builder builder(Limit limit) {
                return RateLimiter.builder(limit)
                        .policies((kept, key, nowNanos) -> fault.apply(kept.newPolicy(nowNanos)));
            }

            @Override
            public Limit limit(int permits, Duration period) {
                return limits.apply(permits, period);
            }
        };
    }

    /** Limiters that have their time from a source with a fault. */
    private static ContractSubject timed(BiFunction<Integer, Duration, Limit> limits, Fault fault) {
        return new ContractSubject() {
            @Override
            public RateLimiter.Builder builder(Limit limit) {
                return withTime(RateLimiter.builder(limit), fault);
            }

            @Override
            public Limit limit(int permits, Duration period) {
                return limits.apply(permits, period);
            }
        };
    }

    @FunctionalInterface
    private interface Fault {

        TimeSource.Cancellable schedule(TimeSource time, Runnable task, long delayNanos);
    }

    private record FaultyTime(TimeSource time, Fault fault) implements TimeSource {

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return fault.schedule(time, task, delayNanos);
        }
    }

    private static RateLimiter.Builder withTime(RateLimiter.Builder builder, Fault fault) {
        Class<RateLimiter.Builder> face = RateLimiter.Builder.class;
        return face.cast(Proxy.newProxyInstance(
                face.getClassLoader(), new Class<?>[] {face}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("timeSource")) {
                        Object answer = method.invoke(builder, arguments);
                        return answer == builder ? proxy : answer;
                    }
                    builder.timeSource(new FaultyTime((TimeSource) arguments[0], fault));
                    return proxy;
                }));
    }

    /** Does as another, but for what is overridden. */
    private static class Faulty implements PermitPolicy {

        final PermitPolicy policy;

        Faulty(PermitPolicy policy) {
            this.policy = policy;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            return policy.tryTake(permits, nowNanos);
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            policy.giveBack(permits, takenAtNanos, nowNanos);
        }

        @Override
        public void charge(int permits, long nowNanos) {
            policy.charge(permits, nowNanos);
        }

        @Override
        public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
            policy.settle(taken, actual, released, takenAtNanos, nowNanos);
        }

        @Override
        public void release(int permits, long nowNanos) {
            policy.release(permits, nowNanos);
        }

        @Override
        public boolean returnsOnRelease() {
            return policy.returnsOnRelease();
        }

        @Override
        public long available(long nowNanos) {
            return policy.available(nowNanos);
        }

        @Override
        public long nanosUntilFull(long nowNanos) {
            return policy.nanosUntilFull(nowNanos);
        }
    }

    private static final class TwiceGivenBack extends Faulty {

        TwiceGivenBack(PermitPolicy policy) {
            super(policy);
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            super.giveBack(permits, takenAtNanos, nowNanos);
            super.giveBack(permits, takenAtNanos, nowNanos);
        }
    }

    private static final class SettledThoughReleased extends Faulty {

        SettledThoughReleased(PermitPolicy policy) {
            super(policy);
        }

        @Override
        public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
            super.settle(taken, actual, false, takenAtNanos, nowNanos);
        }
    }

    private static final class NeverReleased extends Faulty {

        NeverReleased(PermitPolicy policy) {
            super(policy);
        }

        @Override
        public void release(int permits, long nowNanos) {}
    }
}
