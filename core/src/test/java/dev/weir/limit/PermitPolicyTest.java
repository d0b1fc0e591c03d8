package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a policy of a user's own gets without overriding it. */
class PermitPolicyTest {

    private final PermitPolicy bucket =
            Limit.tokenBucket(5, 1, Duration.ofNanos(100)).newPolicy(0);
    private final List<String> calls = new ArrayList<>();
    private final PermitPolicy policy = new OfAUser();

    @Test
    @DisplayName("waits are found out by taking and giving back, for the capacity at most")
    void waits() {
        assertThat(policy.nanosUntil(4, 1, 0)).isZero();
        assertThat(bucket.available(0)).isEqualTo(5);
        policy.tryTake(4, 0);
        assertThat(policy.nanosUntil(2, 1, 0)).isEqualTo(200);
        assertThat(policy.nanosUntil(1, 2, 0)).isEqualTo(200);
        assertThat(policy.nanosUntil(999, 1, 0)).isEqualTo(400);
        assertThat(policy.nanosUntil(Long.MAX_VALUE, 2, 0)).isEqualTo(400);
        assertThat(bucket.available(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("permits ahead count for every limit, also for one with the largest number of permits")
    void thoseAheadOfTheLargestLimit() {
        int all = Integer.MAX_VALUE;
        Duration period = Duration.ofNanos(100);
        for (Limit limit : List.of(Limit.of(all, period), Limit.slidingWindow(all, period, 10))) {
            assertThat(limit.newPolicy(0).nanosUntil(1, all, 0)).as("%s", limit).isEqualTo(100);
        }
        assertThat(Limit.concurrency(all).newPolicy(0).nanosUntil(1, all, 0)).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
        assertThat(Limit.unlimited().newPolicy(0).nanosUntil(all, all, 0)).isZero();
    }

    @Test
    @DisplayName("settling charges what was missing, gives back what was too much, and does nothing where nothing was")
    void settling() {
        policy.settle(3, 3, false, 0, 0);
        assertThat(calls).isEmpty();
        policy.settle(3, 5, false, 0, 7);
        policy.settle(3, 0, true, 4, 9);
        assertThat(calls).containsExactly("charge 2 at 7", "give back 3 of 4 at 9");
    }

    @Test
    @DisplayName("a policy by default has been full for no time, ignores leases, and cannot be changed")
    void rest() {
        assertThat(policy.nanosSinceFull(1_000)).isZero();
        assertThat(policy.returnsOnRelease()).isFalse();
        policy.release(3, 0);
        assertThatIllegalArgumentException().isThrownBy(() -> policy.reconfigure(Limit.unlimited(), 0));
        assertThat(new OfAUser().capacityUnlessOverridden()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    @DisplayName("what is available of each of several limits is told part by part, in requests where these count")
    void availableOfEach() {
        Duration hour = Duration.ofHours(1);
        Limit calls = Limit.allOf(Limit.fixedWindow(7, hour), Limit.of(8, hour)).countingCalls();
        PermitPolicy several = Limit.allOf(
                        Limit.of(10, hour),
                        Limit.unlimited(),
                        calls,
                        Limit.tokenBucket(9, 9, hour),
                        Limit.concurrency(4))
                .newPolicy(0);
        assertThat(several.tryTake(3, 0)).isZero();
        several.charge(7, 0);
        assertThat(several.availableOfEach(0)).containsExactly(0, 6, 7, -1, 1);
        policy.charge(2, 0);
        assertThat(policy.availableOfEach(0)).containsExactly(policy.available(0));
    }

    @Test
    @DisplayName("counting calls passes on what the limit that it counts by does")
    void countingCalls() {
        PermitPolicy byTime =
                Limit.tokenBucket(5, 1, Duration.ofNanos(100)).countingCalls().newPolicy(0);
        assertThat(byTime.returnsOnRelease()).isFalse();
        assertThat(byTime.nanosSinceFull(70)).isEqualTo(70);
        byTime.tryTake(3, 0);
        byTime.giveBack(0, 0, 0);
        assertThat(byTime.available(0)).isEqualTo(4);
        PermitPolicy byLease = Limit.concurrency(2).countingCalls().newPolicy(0);
        assertThat(byLease.returnsOnRelease()).isTrue();
        PermitPolicy bySignal = new Limit() {
            @Override
            public int capacity() {
                return 1;
            }

            @Override
            public PermitPolicy newPolicy(long nowNanos) {
                return policy;
            }
        }.countingCalls().newPolicy(0);
        bySignal.signalTo(() -> {});
        assertThat(calls).containsExactly("signal wanted");
    }

    private final class OfAUser implements PermitPolicy {

        @Override
        public long tryTake(int permits, long nowNanos) {
            return bucket.tryTake(permits, nowNanos);
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            calls.add("give back " + permits + " of " + takenAtNanos + " at " + nowNanos);
            bucket.giveBack(permits, takenAtNanos, nowNanos);
        }

        @Override
        public void charge(int permits, long nowNanos) {
            calls.add("charge " + permits + " at " + nowNanos);
        }

        @Override
        public long available(long nowNanos) {
            return bucket.available(nowNanos);
        }

        @Override
        public long nanosUntilFull(long nowNanos) {
            return bucket.nanosUntilFull(nowNanos);
        }

        @Override
        public int capacity() {
            return 5;
        }

        @Override
        public void signalTo(Runnable drain) {
            calls.add("signal wanted");
        }

        int capacityUnlessOverridden() {
            return PermitPolicy.super.capacity();
        }
    }
}
