package dev.weir.testkit;

import static dev.weir.testkit.FaultySubjects.bucket;
import static dev.weir.testkit.FaultySubjects.butFor;
import static dev.weir.testkit.FaultySubjects.leased;
import static dev.weir.testkit.FaultySubjects.made;
import static dev.weir.testkit.FaultySubjects.notices;
import static dev.weir.testkit.FaultySubjects.timed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.testkit.FaultySubjects.Fault;
import dev.weir.testkit.FaultySubjects.Faulty;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
    @DisplayName("a limit whose permits return by time, and as well when leases are closed")
    void releasesWhatTimeReturns() {
        RetimingContract contract = new RetimingContract(bucket(ReleasedThoughTimed::new), 0) {};
        notices(contract::closingReturnsNothing);
    }

    @Test
    @DisplayName("a limit that gives back, however late, what time has returned")
    void givesBackLate() {
        RetimingContract contract = new RetimingContract(bucket(GivenBackLate::new), 0) {};
        notices(contract::whatTimeHasReturnedDoesNotComeBackOnceMore);
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
        notices(new TimerContract(timed(FaultySubjects::bucketOf, fault), 0) {}::noneIsLeftOnceNobodyWaits);
        notices(
                new MaxWaitContract(timed(FaultySubjects::bucketOf, fault), 0) {}
                        ::leavingBeforeTheTimeIsUpLeavesNoTimer);
        notices(new LeasingContract(timed(FaultySubjects::slotsOf, fault), 0) {}::leavingABoundedWaitLeavesNoTimer);
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
        notices(new TimerContract(timed(FaultySubjects::bucketOf, fault), 0) {}::onlyOneIsPendingHoweverManyWait);
        notices(new NewestFirstContract(timed(FaultySubjects::bucketOf, fault), 0) {}::theNewestGoFirst);
        notices(new LeasingContract(timed(FaultySubjects::slotsOf, fault), 0) {}::aBoundedWaitEndsInTime);
    }

    @Test
    @DisplayName("a limiter that sets its timer again and again with no delay, so that time stands still")
    void letsNoTimePass() {
        Fault fault = (time, task, delayNanos) -> {
            Runnable again = new Runnable() {
                @Override
                public void run() {
                    task.run();
                    time.schedule(this, 0);
                }
            };
            return time.schedule(again, delayNanos);
        };
        TimerContract contract = new TimerContract(timed(FaultySubjects::bucketOf, fault), 0) {};
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(contract::noneIsLeftOnceNobodyWaits)
                .withMessageContaining("again and again with no delay");
    }

    @Test
    @DisplayName("a limiter that never returns: each test of a contract ends in time, whatever its thread does")
    void neverReturns() {
        assertThat(TimerContract.class.getAnnotation(Timeout.class))
                .extracting(Timeout::threadMode)
                .isEqualTo(Timeout.ThreadMode.SEPARATE_THREAD);
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
        notices(new TimerContract(timed(FaultySubjects::bucketOf, fault), 0) {}::whoCannotBeTimedIsRefusedWithTheCause);
        notices(
                new LeasingContract(timed(FaultySubjects::slotsOf, fault), 0) {}
                        ::whoseBoundCannotBeTimedIsRefusedWithTheCause);
    }

    @Test
    @DisplayName("a limiter that sets its timer for the first in line only, though the time of another is up before")
    void timesTheFirstOnly() {
        long left = LimiterContract.PERIOD_NANOS / 2;
        Fault fault = (time, task, delayNanos) -> time.schedule(task, delayNanos == left ? 2 * left : delayNanos);
        notices(
                new MaxWaitContract(timed(FaultySubjects::bucketOf, fault), 0) {}
                        ::newestFirstItEndsInTimeBehindOneThatHasToWaitLonger);
    }

    @Test
    @DisplayName("a limiter that always says no to who consumes, though it grants leases")
    void neverConsumes() {
        UnaryOperator<RateLimiter.Builder> fault = butFor("tryConsume", (limiter, arguments) -> false);
        RetimingContract contract = new RetimingContract(made(FaultySubjects::bucketOf, fault), 0) {};
        notices(contract::aPermitIsConsumedAsTaken);
    }

    @Test
    @DisplayName("a limiter that still counts a lease that was given back")
    void countsWhatWasGivenBack() {
        UnaryOperator<RateLimiter.Builder> fault = butFor("tryAcquire", (limiter, arguments) -> {
            Lease lease = limiter.tryAcquire((int) arguments[0]);
            return butFor(Lease.class, lease, "giveBack", unused -> {
                lease.settle(0);
                lease.close();
                return null;
            });
        });
        LeaseContract contract = new LeaseContract(made(FaultySubjects::bucketOf, fault), 0) {};
        notices(contract::givingBackLeavesTheLimiterAsIfItHadNeverBeen);
    }

    @Test
    @DisplayName("a limiter that forgets its leases when it is closed")
    void forgetsLeases() {
        AtomicBoolean closed = new AtomicBoolean();
        UnaryOperator<RateLimiter.Builder> fault = butFor("close", (limiter, arguments) -> {
            closed.set(true);
            limiter.close();
            return null;
        });
        ContractSubject subject = made(
                FaultySubjects::bucketOf,
                builder -> fault.apply(builder.policies(
                        (kept, key, nowNanos) -> new ForgetsLeases(kept.newPolicy(nowNanos), closed))));
        CloseContract contract = new CloseContract(subject, 0) {};
        notices(contract::leasesThatAreOutMayStillBeSettledAndClosed);
    }

    @Test
    @DisplayName("a limit that does not keep its bound, though its limiters decide as its policy does")
    void exceedsItsBound() {
        ContractSubject exact = new SlidingWindowLogContractTest();
        ContractSubject windowThatIsNotExact = new ContractSubject() {
            @Override
            public RateLimiter.Builder builder(Limit limit) {
                return RateLimiter.builder(limit);
            }

            @Override
            public Limit limit(int permits, Duration period) {
                return Limit.fixedWindow(permits, period);
            }

            @Override
            public long mostIn(int permits, Duration period, Duration interval) {
                return exact.mostIn(permits, period, interval);
            }
        };
        notices(new ScheduleContract(windowThatIsNotExact, 0) {}::firstComeFirstServedAtTheFirstLegalInstant);
    }

    @Test
    @DisplayName("a limit that keeps its rate for a while, and is twice as fast from then on")
    void turnsFast() {
        long origin = LimiterContract.JUST_BEFORE_THE_WRAP;
        UnaryOperator<PermitPolicy> fault = policy -> new TurnsFast(policy, origin);
        notices(new ScheduleContract(bucket(fault), origin) {}::saturatedTheRateIsTheLimit);
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

    private static final class ReleasedThoughTimed extends Faulty {

        ReleasedThoughTimed(PermitPolicy policy) {
            super(policy);
        }

        @Override
        public void release(int permits, long nowNanos) {
            giveBack(permits, nowNanos, nowNanos);
        }

        @Override
        public boolean returnsOnRelease() {
            return true;
        }
    }

    private static final class GivenBackLate extends Faulty {

        GivenBackLate(PermitPolicy policy) {
            super(policy);
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            super.giveBack(permits, nowNanos, nowNanos);
        }
    }

    private static final class NeverReleased extends Faulty {

        NeverReleased(PermitPolicy policy) {
            super(policy);
        }

        @Override
        public void release(int permits, long nowNanos) {}
    }

    private static final class ForgetsLeases extends Faulty {

        private final AtomicBoolean closed;

        ForgetsLeases(PermitPolicy policy, AtomicBoolean closed) {
            super(policy);
            this.closed = closed;
        }

        @Override
        public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
            if (!closed.get()) {
                super.settle(taken, actual, released, takenAtNanos, nowNanos);
            }
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            if (!closed.get()) {
                super.giveBack(permits, takenAtNanos, nowNanos);
            }
        }
    }

    private static final class TurnsFast extends Faulty {

        private final long origin;

        TurnsFast(PermitPolicy policy, long origin) {
            super(policy);
            this.origin = origin;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            long elapsed = nowNanos - origin;
            return super.tryTake(permits, elapsed > 5 * LimiterContract.PERIOD_NANOS ? origin + 2 * elapsed : nowNanos);
        }
    }
}
