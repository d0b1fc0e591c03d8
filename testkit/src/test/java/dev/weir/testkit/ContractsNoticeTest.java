package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
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

    private static void notices(ThrowingCallable test) {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(test);
    }

    private static ContractSubject bucket(UnaryOperator<PermitPolicy> fault) {
        return subject((permits, period) -> Limit.tokenBucket(permits, permits, period), fault);
    }

    private static ContractSubject leased(UnaryOperator<PermitPolicy> fault) {
        return subject((permits, period) -> Limit.concurrency(permits), fault);
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
