package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConcurrencyTest {

    @Test
    @DisplayName("there is at least one permit, here as for the exact window")
    void arguments() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Concurrency(0))
                .withMessage("permits must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingWindowLog(0, Duration.ofSeconds(1)))
                .withMessage("permits must be at least 1, but is 0");
    }

    @Test
    @DisplayName("a limit of concurrency needs no clock while it grants, and decides in this JVM")
    void needsNoClock() {
        PermitPolicy policy = new Concurrency(1).newPolicy(0);
        assertThat(policy.isTimed()).isFalse();
        assertThat(policy.source(0)).isEqualTo(DecisionSource.LOCAL);
    }

    @Test
    @DisplayName("a lease of which nothing is out any more returns nothing when it is closed: idle since before")
    void closingWhatIsHomeIsNoReturn() {
        PermitPolicy policy = new Concurrency(3).newPolicy(-1);
        assertThat(policy.tryTake(2, -1)).isZero();
        policy.settle(2, 0, false, -1, 4);
        policy.release(0, 9);
        assertThat(policy.nanosUntilFull(10)).isZero();
        assertThat(policy.nanosSinceFull(10)).isEqualTo(6);
    }
}
