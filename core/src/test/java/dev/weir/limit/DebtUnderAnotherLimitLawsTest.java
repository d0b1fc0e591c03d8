package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Exact windows, and such in segments, that owe permits while their limit changes: what is owed is owed by the new limit. */
class DebtUnderAnotherLimitLawsTest {

    private static final int SEEDS = 20_000;

    @Test
    @DisplayName("a window in debt grants at the time that it names, and an undone take leaves nothing")
    void tellsWhatItGrants() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Walk(seed, seed % 2 == 0).owing();
        }
    }

    @Test
    @DisplayName("as many more as the limit has now are there, or fewer are owed")
    void morePermits() {
        for (boolean exact : new boolean[] {true, false}) {
            PermitPolicy policy = limit(exact, 1, 4_000).newPolicy(-1);
            policy.charge(3, -1);
            assertThat(policy.available(-1)).isEqualTo(-2);
            policy.reconfigure(limit(exact, 2, 2_000), -1);
            assertThat(policy.available(-1)).isEqualTo(-1);
            assertThat(policy.tryTake(1, -1)).isEqualTo(2_000);
            policy.reconfigure(limit(exact, 7, 2_000), -1);
            assertThat(policy.available(-1)).isEqualTo(4);
            policy.reconfigure(limit(exact, 2, 3_000), -1);
            assertThat(policy.available(-1)).isZero();
        }
    }

    @Test
    @DisplayName("debt without number is carried over as fast as any")
    void muchDebt() {
        for (boolean exact : new boolean[] {true, false}) {
            PermitPolicy policy = limit(exact, 4, 10).newPolicy(5);
            policy.tryTake(4, 5);
            policy.reconfigure(limit(exact, 2, 10), 5);
            policy.charge(Integer.MAX_VALUE, 6);
            policy.charge(Integer.MAX_VALUE, 6);
            policy.reconfigure(limit(exact, 3, 1_000), 6);
            policy.giveBack(Integer.MAX_VALUE, 6, 6);
            policy.giveBack(Integer.MAX_VALUE - 3, 6, 6);
            assertThat(policy.available(6)).isEqualTo(-3);
            assertThat(policy.tryTake(1, 6)).isEqualTo(1_999);
        }
    }

    private static Limit limit(boolean exact, int permits, long period) {
        Duration length = Duration.ofNanos(period);
        return exact ? Limit.of(permits, length) : Limit.slidingWindow(permits, length, 3);
    }

    private static final class Walk {

        private final SplittableRandom random;
        private final long seed;
        private final boolean exact;
        private final PermitPolicy policy;
        private Limit limit;
        private long at;

        Walk(long seed, boolean exact) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.exact = exact;
            this.at = PolicyTraces.ORIGINS[random.nextInt(PolicyTraces.ORIGINS.length)];
            this.limit = next();
            this.policy = limit.newPolicy(at);
        }

        private Limit next() {
            return limit(exact, 1 + random.nextInt(6), 5L + random.nextInt(60));
        }

        void owing() {
            for (int step = 0; step < 20; step++) {
                at += random.nextInt(3) == 0 ? random.nextInt(40) : 0;
                switch (random.nextInt(4)) {
                    case 0 -> policy.charge(1 + random.nextInt(3 * limit.capacity()), at);
                    case 1 -> {
                        limit = next();
                        policy.reconfigure(limit, at);
                    }
                    default -> policy.tryTake(1 + random.nextInt(limit.capacity()), at);
                }
                tellsWhatItGrants(1 + random.nextInt(limit.capacity()));
            }
        }

        private void tellsWhatItGrants(int permits) {
            String trace = "seed " + seed + ", " + permits + " of " + limit + " at " + at;
            long available = policy.available(at);
            long wait = policy.tryTake(permits, at);
            assertThat(wait == PermitPolicy.TAKEN).as(trace).isEqualTo(permits <= available);
            assertThat(policy.nanosUntil(0, 1, at) == 0).as(trace).isEqualTo(policy.available(at) > 0);
            if (wait == PermitPolicy.TAKEN) {
                policy.giveBack(permits, at, at);
                assertThat(policy.available(at)).as(trace).isEqualTo(available);
            } else {
                assertThat(policy.available(at + wait)).as(trace).isGreaterThanOrEqualTo(permits);
                assertThat(policy.available(at + wait - 1)).as(trace).isLessThan(permits);
            }
        }
    }
}
