package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When the permits of a window in segments count, where they do not stand in the order of time: examples. */
class SegmentTimesTest {

    private static final Duration PERIOD = Duration.ofNanos(1000);

    private static PermitPolicy window(int permits, long origin) {
        return Limit.slidingWindow(permits, PERIOD, 4).newPolicy(origin);
    }

    @Test
    @DisplayName("a permit given back is the one taken at that time, neither before nor later")
    void givenBackFromTheMiddle() {
        PermitPolicy policy = window(4, 0);
        policy.tryTake(1, 0);
        policy.tryTake(1, 300);
        policy.tryTake(1, 600);
        policy.tryTake(1, 900);
        policy.giveBack(1, 300, 950);
        assertThat(policy.available(950)).isEqualTo(1);
        assertThat(policy.nanosUntil(1, 1, 950)).isEqualTo(50);
        assertThat(policy.nanosUntil(2, 1, 950)).isEqualTo(650);
        assertThat(policy.nanosUntil(3, 1, 950)).isEqualTo(950);
    }

    @Test
    @DisplayName("of two segments that could be meant, the earlier loses what is given back, and no more than that")
    void givenBackFromTheEarlier() {
        PermitPolicy policy = window(6, -500);
        policy.tryTake(2, -500);
        policy.tryTake(2, -200);
        policy.tryTake(2, 100);
        policy.giveBack(1, -500, 200);
        assertThat(policy.available(200)).isEqualTo(1);
        assertThat(policy.available(500)).isEqualTo(2);
        assertThat(policy.available(800)).isEqualTo(4);
    }

    @Test
    @DisplayName("debt that more permits repay counts from then, together with what is taken in its segment")
    void takenAfterDebt() {
        PermitPolicy policy = window(2, 0);
        policy.tryTake(1, 0);
        policy.tryTake(1, 500);
        policy.charge(1, 500);
        assertThat(policy.available(500)).isEqualTo(-1);
        policy.reconfigure(Limit.slidingWindow(5, PERIOD, 4), 500);
        assertThat(policy.tryTake(1, 600)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(3, 600)).isEqualTo(900);
        assertThat(policy.tryTake(4, 600)).isEqualTo(1000);
        assertThat(policy.tryTake(5, 600)).isEqualTo(1000);
        assertThat(policy.tryTake(5, 1600)).isEqualTo(PermitPolicy.TAKEN);
    }

    @Test
    @DisplayName("debt that is repaid this instant is none: what comes back is what was taken")
    void repaidThisInstant() {
        PermitPolicy policy = window(2, 0);
        policy.tryTake(1, 0);
        policy.tryTake(1, 500);
        policy.charge(1, 500);
        policy.giveBack(1, 500, 1000);
        assertThat(policy.available(1000)).isEqualTo(1);
        assertThat(policy.nanosUntil(1, 1, 1000)).isEqualTo(1000);
    }

    @Test
    @DisplayName("a segment goes on after something of it was given back")
    void oneSegment() {
        PermitPolicy policy = window(4, 0);
        policy.tryTake(3, 0);
        policy.giveBack(1, 0, 10);
        policy.tryTake(1, 20);
        assertThat(policy.available(20)).isEqualTo(1);
        assertThat(policy.available(1019)).isEqualTo(1);
        assertThat(policy.available(1020)).isEqualTo(4);
    }

    @Test
    @DisplayName("within the longest segment whose nanoseconds can be counted, permits count to the nanosecond")
    void toTheNanosecond() {
        Duration longest = Duration.ofNanos((1L << 32) - 1);
        PermitPolicy policy = Limit.slidingWindow(2, longest, 1).newPolicy(0);
        policy.tryTake(1, 0);
        policy.tryTake(1, 3);
        assertThat(policy.nanosUntil(0, 1, 3)).isEqualTo(longest.toNanos());
        PermitPolicy coarser = Limit.slidingWindow(2, longest.plusNanos(1), 1).newPolicy(0);
        coarser.tryTake(1, 0);
        coarser.tryTake(1, 3);
        assertThat(coarser.nanosUntil(0, 1, 3)).isEqualTo(longest.toNanos() + 2);
    }
}
