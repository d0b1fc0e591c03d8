package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConcurrencyTest {

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
