package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which limits a limiter can be reconfigured between: those of one kind, bare, counting calls, or beside others. */
class ReconfigureKindsTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final int FEW = 5;
    private static final int MORE = 7;

    /** One of each kind, of so many permits. */
    private static List<Limit> kinds(int permits) {
        List<Limit> bare = List.of(
                Limit.of(permits, PERIOD),
                Limit.slidingWindow(permits, PERIOD, 10),
                Limit.slidingWindowCounter(permits, PERIOD),
                Limit.fixedWindow(permits, PERIOD),
                Limit.tokenBucket(permits, permits, PERIOD),
                Limit.tokenBucket(permits, permits, PERIOD).refillingInSteps(),
                Limit.leakyBucket(permits, PERIOD).withSlack(permits),
                Limit.concurrency(permits),
                Limit.unlimited());
        List<Limit> all = new ArrayList<>(bare);
        bare.forEach(limit -> all.add(limit.countingCalls()));
        bare.forEach(limit -> all.add(Limit.allOf(limit, Limit.fixedWindow(permits, PERIOD))));
        bare.forEach(limit -> all.add(Limit.allOf(limit.countingCalls(), Limit.fixedWindow(permits, PERIOD))));
        bare.forEach(limit ->
                all.add(Limit.allOf(limit, Limit.fixedWindow(permits, PERIOD)).countingCalls()));
        return all;
    }

    @Test
    void anotherKindIsRefusedAndChangesNothing() {
        List<Limit> before = kinds(FEW);
        List<Limit> after = kinds(MORE);
        for (int i = 0; i < before.size(); i++) {
            for (int j = 0; j < after.size(); j++) {
                if (i != j) {
                    refuses(before.get(i), after.get(j));
                }
            }
        }
    }

    private static void refuses(Limit before, Limit after) {
        RateLimiter limiter = RateLimiter.of(before);
        long available = limiter.availablePermits();
        assertThatIllegalArgumentException().as("%s to %s", before, after).isThrownBy(() -> limiter.reconfigure(after));
        assertThat(limiter.limit()).isEqualTo(before);
        assertThat(limiter.availablePermits()).as("%s", before).isEqualTo(available);
    }

    @Test
    void aPolicyRefusesAnotherKindByItself() {
        List<Limit> before = kinds(FEW);
        List<Limit> after = kinds(MORE);
        for (int i = 0; i < before.size(); i++) {
            for (int j = 0; j < after.size(); j++) {
                if (i != j) {
                    refusesAlone(before.get(i), after.get(j));
                }
            }
        }
    }

    private static void refusesAlone(Limit before, Limit after) {
        PermitPolicy policy = before.newPolicy(0);
        long available = policy.available(0);
        assertThatIllegalArgumentException()
                .as("%s to %s", before, after)
                .isThrownBy(() -> policy.reconfigure(after, 0));
        assertThat(policy.available(0)).as("%s", before).isEqualTo(available);
    }

    /** A limit whose policies are made by others, which know only their own. */
    private record Plan(int permits) implements Limit {

        @Override
        public int capacity() {
            return made().capacity();
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return made().newPolicy(nowNanos);
        }

        private Limit made() {
            return permits == 0 ? Limit.unlimited() : Limit.of(permits, PERIOD);
        }
    }

    @Test
    void aLimitWhosePolicyIsOfAnotherKindIsRefused() {
        refuses(new Plan(FEW), new Plan(MORE));
        refuses(new Plan(0), new Plan(FEW));
        refuses(new Plan(FEW), new Plan(0));
    }

    @Test
    void theSameKindIsNot() {
        List<Limit> before = kinds(FEW);
        List<Limit> after = kinds(MORE);
        for (int i = 0; i < before.size(); i++) {
            RateLimiter limiter = RateLimiter.of(before.get(i));
            limiter.reconfigure(after.get(i));
            assertThat(limiter.limit()).isEqualTo(after.get(i));
        }
    }
}
