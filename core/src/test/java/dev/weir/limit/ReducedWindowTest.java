package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The exact window while its limit is lower than what was granted, and when it is raised again. */
class ReducedWindowTest {

    @Test
    @DisplayName("a grant before the limit was reduced counts when it is raised again")
    void reducedAndRaisedAgain() {
        PermitPolicy policy = Limit.of(4, Duration.ofNanos(1_000)).newPolicy(0);
        assertThat(policy.tryTake(3, 0)).isZero();
        policy.reconfigure(Limit.of(1, Duration.ofNanos(1_000)), 100);
        assertThat(policy.available(100)).isZero();

        policy.reconfigure(Limit.of(4, Duration.ofNanos(1_000)), 200);
        assertThat(policy.available(200)).isEqualTo(1);
        assertThat(policy.tryTake(2, 200)).isEqualTo(800);
        assertThat(policy.tryTake(4, 1_000)).isZero();
    }

    @Test
    @DisplayName("of what was granted beyond a reduced limit, one given back makes no room")
    void givenBackWhileReduced() {
        PermitPolicy policy = Limit.of(5, Duration.ofNanos(1_000)).newPolicy(-7);
        assertThat(policy.tryTake(5, -7)).isZero();
        policy.reconfigure(Limit.of(2, Duration.ofNanos(1_000)), -7);
        policy.giveBack(3, -7, -7);
        assertThat(policy.tryTake(1, -7)).isEqualTo(1_000);
        policy.giveBack(1, -7, -7);
        assertThat(policy.tryTake(2, -7)).isEqualTo(1_000);
        assertThat(policy.tryTake(1, -7)).isZero();
    }

    @Test
    @DisplayName("a charge takes a place of the reduced limit, and nothing older is forgotten for it")
    void chargedWhileReduced() {
        PermitPolicy policy = Limit.of(4, Duration.ofNanos(1_000)).newPolicy(Long.MAX_VALUE);
        assertThat(policy.tryTake(4, Long.MAX_VALUE)).isZero();
        policy.reconfigure(Limit.of(2, Duration.ofNanos(1_000)), Long.MAX_VALUE);
        policy.charge(1, Long.MAX_VALUE);
        assertThat(policy.available(Long.MAX_VALUE)).isEqualTo(-1);
        policy.giveBack(1, Long.MAX_VALUE, Long.MAX_VALUE);
        policy.reconfigure(Limit.of(5, Duration.ofNanos(1_000)), Long.MAX_VALUE);
        assertThat(policy.available(Long.MAX_VALUE)).isEqualTo(1);
    }

    @Test
    @DisplayName("with a longer period, nothing counts as older than what is known to be older still")
    void raisedWithALongerPeriod() {
        PermitPolicy policy = Limit.of(2, Duration.ofNanos(10)).newPolicy(0);
        assertThat(policy.tryTake(2, 0)).isZero();
        policy.reconfigure(Limit.of(1, Duration.ofNanos(10)), 0);
        assertThat(policy.tryTake(1, 10)).isZero();
        policy.reconfigure(Limit.of(3, Duration.ofNanos(100)), 10);
        assertThat(policy.available(10)).isZero();
        assertThat(policy.tryTake(3, 10)).isEqualTo(100);
        assertThat(policy.tryTake(2, 99)).isEqualTo(1);
        assertThat(policy.tryTake(2, 100)).isZero();
    }
}
