package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The numbers that buckets count in, held against fractions. */
class PaceTest {

    private static Pace perNanos(int capacity, int permits, long nanos) {
        return Pace.of(new TokenBucket(capacity, permits, Duration.ofNanos(nanos)));
    }

    @Test
    @DisplayName(
            "a leaky bucket is a pace that lets one more through than it has slack, and pours a fraction early rather than late")
    void leakyBucket() {
        Pace pace = Pace.of(new LeakyBucket(3, Duration.ofNanos(1_007)).withSlack(2));
        assertThat(pace.cost).isEqualTo(1_007);
        assertThat(pace.unitsPerNano).isEqualTo(3);
        assertThat(pace.capacity).isEqualTo(3);
        assertThat(pace.burst).isEqualTo(3);
        assertThat(pace.tolerance(pace.costOf(3))).isEqualTo(2 * pace.cost);
        assertThat(pace.grace).isZero();
        assertThat(Pace.of(new LeakyBucket(3, Duration.ofNanos(1_007))).grace).isEqualTo(2);
    }

    @Test
    @DisplayName("a price too fine to be counted with is rounded up, and by little")
    void roundedUp() {
        int capacity = Integer.MAX_VALUE;
        long period = Duration.ofDays(9_000).toNanos() + 1;
        Pace pace = perNanos(capacity, 2_147_483_629, period);
        BigInteger asked = BigInteger.valueOf(period).multiply(BigInteger.valueOf(pace.unitsPerNano));
        BigInteger kept = BigInteger.valueOf(pace.cost).multiply(BigInteger.valueOf(2_147_483_629));
        assertThat(kept).isGreaterThanOrEqualTo(asked);
        assertThat(kept.subtract(asked).doubleValue() / asked.doubleValue()).isLessThan(1e-6);
    }

    @Test
    @DisplayName("paces are alike if nothing at all differs")
    void alike() {
        Pace pace = perNanos(7, 3, 701);
        assertThat(pace.isLike(perNanos(7, 3, 701))).isTrue();
        assertThat(pace.isLike(perNanos(8, 3, 701))).as("capacity").isFalse();
        assertThat(pace.isLike(perNanos(7, 3, 703))).as("price").isFalse();
        assertThat(pace.isLike(perNanos(7, 4, 701))).as("units").isFalse();
        LeakyBucket leaky = new LeakyBucket(7, Duration.ofNanos(709));
        assertThat(Pace.of(leaky).isLike(Pace.of(leaky.withSlack(1))))
                .as("burst")
                .isFalse();
    }

    @Test
    @DisplayName("waits for any number of permits are exact, rounded up, and never overflow")
    void waitsForMany() {
        Pace pace = perNanos(10, 3, 7);
        long permits = Long.MAX_VALUE / 5 / 3 * 3;
        assertThat(pace.nanosAt(0, permits)).isEqualTo(permits / 3 * 7);
        assertThat(pace.nanosAt(1, permits)).isEqualTo(permits / 3 * 7 + 1);
        assertThat(pace.nanosAt(0, 3)).isEqualTo(7);
        assertThat(pace.nanosAt(1, 3)).isEqualTo(8);
        assertThat(perNanos(10, 1, 3).nanosAt(0, Long.MAX_VALUE / 2)).isEqualTo(PermitPolicy.AWAIT_SIGNAL - 1);
    }

    @Test
    @DisplayName("a bucket's flow before a change keeps its pace, until time has returned all of a request")
    void paceOfThen() {
        Pace before = perNanos(4, 1, 10);
        Pace after = perNanos(4, 1, 100).after(before, 1_000);
        assertThat(after.flowed(900, 1_000)).isEqualTo(10 * after.cost);
        assertThat(after.flowed(950, 1_100)).isEqualTo(6 * after.cost);
        assertThat(after.flowed(1_000, 1_100)).isEqualTo(after.cost);
        assertThat(after.asOf(1_399)).isSameAs(after);
        assertThat(after.asOf(1_400)).isNotSameAs(after);
        assertThat(after.asOf(1_400).flowed(900, 1_000)).isEqualTo(after.cost);
    }

    @Test
    @DisplayName("of several changes in a short time the fastest pace counts for all that was before")
    void fastestPace() {
        PermitPolicy policy = new TokenBucket(10, 10, Duration.ofNanos(1_000)).newPolicy(0);
        assertThat(policy.tryTake(8, 0)).isEqualTo(PermitPolicy.TAKEN);
        policy.reconfigure(new TokenBucket(10, 1, Duration.ofNanos(1_000)), 500);
        policy.reconfigure(new TokenBucket(10, 1, Duration.ofNanos(2_000)), 510);
        assertThat(policy.available(520)).isEqualTo(7);
        policy.giveBack(8, 0, 520);
        // 5.1 of the eight came back by time, so 2.9 are left to be given back.
        assertThat(policy.available(520)).isEqualTo(9);
    }
}
