package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CountingCallsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void fiveHundredRequestsAndAHundredThousandTokensAMinute() {
        Limit minute = Limit.allOf(
                Limit.tokenBucket(100_000, 100_000, MINUTE),
                Limit.of(500, MINUTE).countingCalls());
        assertThat(minute.capacity()).isEqualTo(100_000);
        PermitPolicy policy = minute.newPolicy(0);
        for (int call = 0; call < 499; call++) {
            assertThat(policy.tryTake(100, 0)).isEqualTo(PermitPolicy.TAKEN);
        }
        assertThat(policy.available(0)).isEqualTo(100_000 - 49_900);
        assertThat(policy.tryTake(50_101, 0)).isEqualTo(600_000);
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.available(0)).isZero();
        assertThat(policy.tryTake(1, 0)).isEqualTo(MINUTE.toNanos());
        assertThat(policy.tryTake(0, 0)).isEqualTo(MINUTE.toNanos());
    }

    @Test
    void aRequestIsOneCallWhateverItTurnsOutToCost() {
        Limit minute = Limit.allOf(
                Limit.tokenBucket(1000, 1, MINUTE), Limit.of(2, MINUTE).countingCalls());
        PermitPolicy policy = minute.newPolicy(0);
        policy.tryTake(300, 0);
        policy.settle(300, 100, false, 0, 0);
        policy.settle(100, 500, false, 0, 0);
        assertThat(policy.available(0)).isEqualTo(500);
        policy.charge(100, 0);
        policy.tryTake(200, 0);
        assertThat(policy.tryTake(1, 0)).isEqualTo(MINUTE.toNanos());
        policy.giveBack(200, 0, 0);
        assertThat(policy.available(0)).isEqualTo(400);
        assertThat(policy.tryTake(400, 0)).isEqualTo(PermitPolicy.TAKEN);
    }

    @Test
    void aCallThatIsUnderWayEndsOnceWhateverItCost() {
        PermitPolicy policy = new Concurrency(2).countingCalls().newPolicy(0);
        assertThat(policy.returnsOnRelease()).isTrue();
        policy.tryTake(100, 0);
        policy.tryTake(7, 0);
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
        policy.settle(100, 0, false, 0, 0);
        assertThat(policy.available(0)).isZero();
        policy.release(0, 0);
        assertThat(policy.available(0)).isEqualTo(1);
        policy.giveBack(7, 0, 0);
        assertThat(policy.nanosUntilFull(0)).isZero();
    }

    @Test
    void waitsAreThoseOfOneCall() {
        Limit limit = Limit.of(2, Duration.ofNanos(1000)).countingCalls();
        assertThat(limit.capacity()).isEqualTo(Integer.MAX_VALUE);
        PermitPolicy policy = limit.newPolicy(-1);
        policy.tryTake(50, -1);
        policy.tryTake(50, 99);
        assertThat(policy.nanosUntil(0, 7, 99)).isEqualTo(900);
        assertThat(policy.nanosUntil(20, 7, 99)).isEqualTo(1000);
        assertThat(policy.nanosUntil(0, 70, 99)).isEqualTo(900);
        assertThat(policy.nanosUntilFull(99)).isEqualTo(1000);
        policy.reconfigure(Limit.of(3, Duration.ofNanos(1000)).countingCalls(), 99);
        assertThat(policy.available(99)).isEqualTo(1);
    }

    @Test
    void refusesBadInput() {
        assertThatNullPointerException()
                .isThrownBy(() -> new CountingCalls(null))
                .withMessage("limit");
        Limit limit = new Concurrency(2).countingCalls();
        assertThat(limit.countingCalls()).isSameAs(limit);
        PermitPolicy policy = limit.newPolicy(0);
        assertThatIllegalArgumentException().isThrownBy(() -> policy.reconfigure(new Concurrency(3), 0));
    }
}
