package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Windows, exact or in segments, when their period grows: grants count again that it has forgotten since, as late as they can have
 * been. What has passed is known to the test; the window may count more than that, never less.
 */
class GrownPeriodLawsTest {

    private static final int SEEDS = 10_000;
    private static final int STEPS = 40;

    @Test
    @DisplayName("no interval gets more than the limit of its end, whatever the limits before it were")
    void holdsOverThePast() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Past(seed, (random, permits) -> Limit.of(permits, period(random))).walk();
        }
    }

    @Test
    @DisplayName("a window in segments keeps its limit over its past when its period grows")
    void holdsOverThePastOfSegments() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Past(seed, (random, permits) -> Limit.slidingWindow(permits, period(random), 1 + random.nextInt(5)))
                    .walk();
        }
    }

    private static Duration period(SplittableRandom random) {
        return Duration.ofNanos(1 + random.nextInt(100));
    }

    @Test
    @DisplayName("several taken at once make forget what the last of them replaces")
    void severalAtOnce() {
        PermitPolicy policy = Limit.of(4, Duration.ofNanos(1_000)).newPolicy(0);
        assertThat(policy.tryTake(3, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(2, 1_000)).isEqualTo(PermitPolicy.TAKEN);
        policy.reconfigure(Limit.of(5, Duration.ofNanos(3_000)), 1_000);
        assertThat(policy.available(1_000)).isZero();
        assertThat(policy.tryTake(3, 1_000)).isEqualTo(2_000);
    }

    @Test
    @DisplayName("a charge makes forget what it replaces")
    void charged() {
        PermitPolicy policy = Limit.of(2, Duration.ofNanos(1_000)).newPolicy(0);
        assertThat(policy.tryTake(2, 0)).isEqualTo(PermitPolicy.TAKEN);
        policy.charge(2, 1_000);
        policy.reconfigure(Limit.of(4, Duration.ofNanos(3_000)), 1_500);
        assertThat(policy.available(1_500)).isZero();
        assertThat(policy.tryTake(2, 1_500)).isEqualTo(1_500);
    }

    @Test
    @DisplayName("a charge in segments counts with the grants it has replaced when the period grows")
    void chargedInSegments() {
        PermitPolicy policy = Limit.slidingWindow(1, Duration.ofNanos(10), 4).newPolicy(0);
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
        policy.charge(1, 0);
        policy.reconfigure(Limit.slidingWindow(2, Duration.ofNanos(29), 2), 24);
        assertThat(policy.available(24)).isZero();
        assertThat(policy.tryTake(1, 24)).isEqualTo(5);
    }

    @Test
    @DisplayName("a grant that a charge has replaced counts though older ones are forgotten later")
    void forgottenLater() {
        PermitPolicy policy = Limit.slidingWindow(2, Duration.ofNanos(10), 10).newPolicy(0);
        SlidingWindow longer = Limit.slidingWindow(3, Duration.ofNanos(30), 30);
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 9)).isEqualTo(PermitPolicy.TAKEN);
        policy.charge(2, 10);
        policy.reconfigure(longer, 19);
        policy.charge(1, 30);
        policy.reconfigure(longer, 30);
        policy.giveBack(1, 30, 30);
        assertThat(policy.available(38)).as("with one of 9 and two of 10").isZero();
        assertThat(policy.available(39)).isEqualTo(1);
    }

    @Test
    @DisplayName("a grant given back is not remembered, but the one it had replaced is")
    void givenBack() {
        PermitPolicy policy = Limit.of(2, Duration.ofNanos(1_000)).newPolicy(0);
        assertThat(policy.tryTake(2, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(2, 1_000)).isEqualTo(PermitPolicy.TAKEN);
        policy.giveBack(1, 1_000, 1_000);
        policy.reconfigure(Limit.of(4, Duration.ofNanos(3_000)), 1_000);
        assertThat(policy.tryTake(1, 1_000))
                .as("as if there had been more before")
                .isEqualTo(1_000);
        assertThat(policy.tryTake(1, 2_999)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 2_999)).isEqualTo(1);
    }

    @Test
    @DisplayName("when all comes back that was known at the change, what it had replaced counts again")
    void givenBackAfterTheChange() {
        PermitPolicy policy = Limit.of(2, Duration.ofNanos(3)).newPolicy(0);
        assertThat(policy.tryTake(2, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(2, 3)).isEqualTo(PermitPolicy.TAKEN);
        policy.reconfigure(Limit.of(1, Duration.ofNanos(38)), 3);
        policy.giveBack(2, 3, 3);
        assertThat(policy.tryTake(1, 3)).isEqualTo(35);
    }

    @Test
    @DisplayName("nothing counts again where nothing was forgotten")
    void nothingForgotten() {
        PermitPolicy policy = Limit.of(4, Duration.ofNanos(1_000)).newPolicy(0);
        assertThat(policy.tryTake(2, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(2, 1_000)).isEqualTo(PermitPolicy.TAKEN);
        policy.giveBack(1, 1_000, 1_000);
        policy.reconfigure(Limit.of(9, Duration.ofNanos(3_000)), 1_000);
        assertThat(policy.available(1_000)).isEqualTo(6);
    }

    @Test
    @DisplayName("a permit returned by time before the period grew does not return again; others do")
    void givenBackThoughForgotten() {
        PermitPolicy policy = Limit.of(4, Duration.ofNanos(10)).newPolicy(0);
        assertThat(policy.tryTake(4, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(3, 10)).isEqualTo(PermitPolicy.TAKEN);
        policy.reconfigure(Limit.of(3, Duration.ofNanos(100)), 10);
        policy.giveBack(4, 0, 10);
        policy.giveBack(1, 10, 10);
        assertThat(policy.tryTake(1, 99)).isEqualTo(1);
        assertThat(policy.tryTake(1, 100)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 100)).isEqualTo(10);
    }

    @Test
    @DisplayName("however often the limit changes, no more is remembered")
    void changingOften() {
        Forgotten some = new Forgotten(4, 10, GrantLog.NEVER);
        GrantLog log = new GrantLog(4, 10, 0, new long[] {-9, -9, -3, 0}, 4, some, GrantLog.NEVER);
        for (int change = 1; change <= 100; change++) {
            log = log.reconfigured(4 + change % 2, 1_000, change % 10);
            assertThat(log.size() + log.older().length).isLessThanOrEqualTo(9);
        }
    }

    /** A walk through time and limits, with all that was taken. */
    private static final class Past {

        private final SplittableRandom random;
        private final List<LimitLaws.Use> taken = new ArrayList<>();
        private final List<LimitLaws.Use> charged = new ArrayList<>();
        private final long seed;
        private final long origin;
        private final PermitPolicy policy;

        private final BiFunction<SplittableRandom, Integer, Limit> limits;
        private Limit limit;
        private long at;

        /** How many were taken before the latest debt: their places have moved. */
        private int settled;

        Past(long seed, BiFunction<SplittableRandom, Integer, Limit> limits) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.origin = PolicyTraces.ORIGINS[random.nextInt(PolicyTraces.ORIGINS.length)];
            this.limits = limits;
            this.limit = next();
            this.policy = limit.newPolicy(origin);
        }

        private Limit next() {
            return limits.apply(random, 1 + random.nextInt(12));
        }

        private long periodNanos() {
            return (limit instanceof SlidingWindow segments ? segments.window() : ((SlidingWindowLog) limit).period())
                    .toNanos();
        }

        void walk() {
            for (int step = 0; step < STEPS; step++) {
                at += random.nextInt(3) > 0 ? 0 : random.nextInt(60);
                boolean owes = policy.available(origin + at) < 0;
                switch (random.nextInt(12)) {
                    case 0 -> charge();
                    case 1, 2 -> {
                        if (!owes) {
                            giveBack();
                        }
                    }
                    case 3 -> {
                        limit = next();
                        policy.reconfigure(limit, origin + at);
                    }
                    default -> take();
                }
            }
        }

        private void charge() {
            int permits = 1 + random.nextInt(2 * limit.capacity());
            boolean isDebt = permits > policy.available(origin + at);
            policy.charge(permits, origin + at);
            charged.add(new LimitLaws.Use(at, permits));
            settled = isDebt ? taken.size() : settled;
        }

        /** Some of what any of the takes was for, also from before a change; what no longer counts has come back by itself. */
        private void giveBack() {
            if (taken.size() > settled) {
                int which = settled + random.nextInt(taken.size() - settled);
                LimitLaws.Use use = taken.get(which);
                int returned = 1 + random.nextInt(use.permits());
                if (at - use.at() < periodNanos()) {
                    policy.giveBack(returned, origin + use.at(), origin + at);
                    taken.remove(which);
                    if (returned < use.permits()) {
                        taken.add(which, new LimitLaws.Use(use.at(), use.permits() - returned));
                    }
                }
            }
        }

        private void take() {
            int permits = 1 + random.nextInt(limit.capacity());
            long wait = policy.tryTake(permits, origin + at);
            if (wait != PermitPolicy.TAKEN && random.nextBoolean()) {
                at += wait;
                wait = policy.tryTake(permits, origin + at);
                assertThat(wait).as("seed %s", seed).isEqualTo(PermitPolicy.TAKEN);
            }
            if (wait == PermitPolicy.TAKEN) {
                taken.add(new LimitLaws.Use(at, permits));
                assertThat(withinThePeriod(taken) + withinThePeriod(charged))
                        .as("seed %s, %s at %s", seed, limit, at)
                        .isLessThanOrEqualTo(limit.capacity());
            }
        }

        private int withinThePeriod(List<LimitLaws.Use> uses) {
            return uses.stream()
                    .filter(use -> at - use.at() < periodNanos())
                    .mapToInt(LimitLaws.Use::permits)
                    .sum();
        }
    }
}
