package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for threads whose clocks are late, and for a limit that nobody has used. */
class ClockLawsTest {

    private static final long[] MOMENTS = {0, 1, 999, 1000, 1001, 1L << 40, (1L << 62) - 1, Long.MAX_VALUE};

    static Stream<Limit> limits() {
        Duration period = Duration.ofNanos(1000);
        return Stream.of(
                Limit.of(1, period),
                Limit.of(9, period),
                Limit.slidingWindow(8, period, 4),
                Limit.fixedWindow(4, period),
                Limit.fixedWindow(4, period).aligned(),
                Limit.slidingWindowCounter(5, period),
                Limit.tokenBucket(4, 3, period),
                Limit.tokenBucket(4, 3, period).refillingInSteps(),
                Limit.leakyBucket(5, period),
                Limit.leakyBucket(5, period).withSlack(2),
                Limit.allOf(Limit.of(9, period), Limit.tokenBucket(4, 3, period)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("an unused limit is full, on any clock, and has been since it was made")
    void unused(Limit limit) {
        for (long origin : PolicyTraces.ORIGINS) {
            PermitPolicy policy = limit.newPolicy(origin);
            long all = policy.available(origin);
            for (long moment : MOMENTS) {
                for (long at : new long[] {origin + moment, origin - moment}) {
                    assertThat(policy.available(at)).as("%s at %s", origin, at).isEqualTo(all);
                    assertThat(policy.nanosUntil(all - 1, 1, at)).isZero();
                }
                assertThat(policy.nanosUntilFull(origin + moment)).isZero();
                assertThat(policy.nanosUntilFull(origin - moment)).isLessThanOrEqualTo(moment);
                assertThat(policy.nanosSinceFull(origin + moment)).isEqualTo(moment);
                assertThat(policy.nanosSinceFull(origin - moment)).isZero();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("a limit grants as a new one does, however long nobody used it")
    void usedAfterALongTime(Limit limit) {
        for (long origin : PolicyTraces.ORIGINS) {
            for (long moment : MOMENTS) {
                PermitPolicy unused = limit.newPolicy(origin);
                PermitPolicy fresh = limit.newPolicy(origin + moment);
                for (int taken = 0; taken < 3; taken++) {
                    String where = moment + " later than " + origin + ", take " + taken;
                    assertThat(unused.tryTake(1, origin + moment))
                            .as(where)
                            .isEqualTo(fresh.tryTake(1, origin + moment));
                    assertThat(unused.available(origin + moment)).as(where).isEqualTo(fresh.available(origin + moment));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("an unused limit that is changed has been full no longer than it exists")
    void changedUnused(Limit limit) {
        for (long origin : PolicyTraces.ORIGINS) {
            for (long moment : MOMENTS) {
                PermitPolicy policy = limit.newPolicy(origin);
                policy.reconfigure(limit, origin + moment);
                assertThat(policy.nanosUntilFull(origin + moment)).isZero();
                assertThat(policy.nanosSinceFull(origin + moment))
                        .as("%s later than %s", moment, origin)
                        .isBetween(0L, moment);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("a thread whose clock is late waits until the same instant as the others")
    void late(Limit limit) {
        for (long origin : PolicyTraces.ORIGINS) {
            for (long seed = 1; seed <= 20; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                PermitPolicy policy = limit.newPolicy(origin);
                policy.charge((int) policy.available(origin) + random.nextInt(3 * limit.capacity()), origin);
                long late = 1L + random.nextInt(3000);
                int permits = 1 + random.nextInt(limit.capacity());
                String where = limit + " from " + origin + ", seed " + seed;
                long wait = policy.tryTake(permits, origin);
                assertThat(policy.tryTake(permits, origin - late)).as(where).isEqualTo(wait + late);
                assertThat(policy.nanosUntil(0, permits, origin - late))
                        .as(where)
                        .isEqualTo(wait + late);
                assertThat(policy.nanosUntil(permits - 1, 1, origin - late))
                        .as(where)
                        .isEqualTo(policy.nanosUntil(permits - 1, 1, origin) + late);
                assertThat(policy.nanosUntilFull(origin - late))
                        .as(where)
                        .isEqualTo(policy.nanosUntilFull(origin) + late);
                assertThat(policy.available(origin - late)).as(where).isEqualTo(policy.available(origin));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("a thread whose clock is late gets all that is there, and no more")
    void lateForWhatIsThere(Limit limit) {
        for (long origin : PolicyTraces.ORIGINS) {
            for (long late : new long[] {1, 999, 1001, 1L << 40}) {
                PermitPolicy policy = limit.newPolicy(origin);
                for (long left = policy.available(origin); left > 0; left--) {
                    assertThat(policy.tryTake(1, origin - late))
                            .as("%s, %s before %s, %s left", limit, late, origin, left)
                            .isEqualTo(PermitPolicy.TAKEN);
                }
                assertThat(policy.tryTake(1, origin - late))
                        .as("%s, %s before %s", limit, late, origin)
                        .isEqualTo(policy.tryTake(1, origin) + late);
            }
        }
    }

    @Test
    @DisplayName("a permit taken by a clock ahead is no debt to one that is late")
    void aheadOfALateClock() {
        PermitPolicy policy = Limit.of(2, Duration.ofNanos(1000)).newPolicy(0);
        policy.charge(3, 0);
        assertThat(policy.available(999)).isEqualTo(-1);
        assertThat(policy.tryTake(1, 1001)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.available(1000)).isZero();
        assertThat(policy.available(999)).isZero();
    }

    @Test
    @DisplayName("a late clock gives nothing back that has come back by a clock ahead")
    void givenBackByALateClock() {
        PermitPolicy policy = Limit.of(2, Duration.ofNanos(1000)).newPolicy(0);
        policy.charge(3, 0);
        assertThat(policy.tryTake(1, 1001)).isEqualTo(PermitPolicy.TAKEN);
        policy.giveBack(1, 0, 999);
        assertThat(policy.nanosUntil(0, 1, 999)).isEqualTo(1001);
        assertThat(policy.nanosUntil(1, 1, 999)).isEqualTo(1002);
    }

    @Test
    @DisplayName("a permit taken after all debt was given back is no debt to a late clock, nor given back by one")
    void noMoreDebt() {
        PermitPolicy policy = Limit.of(3, Duration.ofNanos(10)).newPolicy(0);
        assertThat(policy.tryTake(2, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
        policy.charge(1, 1);
        policy.giveBack(2, 0, 2);
        assertThat(policy.tryTake(1, 4)).isEqualTo(PermitPolicy.TAKEN);
        for (long late = 0; late < 4; late++) {
            assertThat(policy.available(late)).as("at %s", late).isZero();
        }
        policy.giveBack(1, 0, 3);
        assertThat(policy.tryTake(1, 5)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 12)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 13)).isEqualTo(1);
    }

    @Test
    @DisplayName("permits taken in the instant in which debt ends are no debt to a late clock that gives back")
    void takenAsDebtEnds() {
        PermitPolicy policy = Limit.of(3, Duration.ofNanos(10)).newPolicy(0);
        assertThat(policy.tryTake(3, 0)).isEqualTo(PermitPolicy.TAKEN);
        policy.charge(1, 5);
        assertThat(policy.tryTake(2, 10)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.available(9)).isZero();
        policy.giveBack(2, 0, 9);
        assertThat(policy.tryTake(1, 19)).isEqualTo(1);
    }

    @Test
    @DisplayName("a charge by a late clock makes no debt of permits that were taken by a clock ahead")
    void chargedByALateClock() {
        PermitPolicy policy = Limit.of(3, Duration.ofNanos(10)).newPolicy(0);
        assertThat(policy.tryTake(3, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(3, 10)).isEqualTo(PermitPolicy.TAKEN);
        policy.charge(1, 9);
        policy.giveBack(2, 0, 9);
        assertThat(policy.tryTake(1, 19)).isEqualTo(1);
    }

    @Test
    @DisplayName("after a permit was given back, a late clock takes at the time that another has shown")
    void takenByALateClockAfterAGiveBack() {
        PermitPolicy policy = Limit.of(3, Duration.ofNanos(1000)).newPolicy(0);
        for (long now : new long[] {0, 100, 200, 1000}) {
            assertThat(policy.tryTake(1, now)).isEqualTo(PermitPolicy.TAKEN);
        }
        policy.giveBack(1, 1000, 1000);
        assertThat(policy.tryTake(1, 999)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 1100)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 1200)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 1999)).isEqualTo(1);
    }

    @Test
    @DisplayName("a late clock that changes the limit makes no debt of permits that were taken by a clock ahead")
    void changedByALateClock() {
        PermitPolicy policy = Limit.of(3, Duration.ofNanos(10)).newPolicy(0);
        assertThat(policy.tryTake(3, 0)).isEqualTo(PermitPolicy.TAKEN);
        policy.charge(1, 5);
        assertThat(policy.tryTake(2, 10)).isEqualTo(PermitPolicy.TAKEN);
        policy.reconfigure(Limit.of(5, Duration.ofNanos(10)), 9);
        assertThat(policy.tryTake(2, 10)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 19)).isEqualTo(1);
    }

    @Test
    @DisplayName("a window in segments makes wait whoever is late by more than it remembers")
    void laterThanWhatIsRemembered() {
        Limit limit = Limit.slidingWindow(3, Duration.ofNanos(1000), 4);
        for (PermitPolicy policy :
                List.of(limit.newPolicy(70), Limit.allOf(limit).newPolicy(70))) {
            policy.tryTake(1, 70);
            policy.tryTake(1, 1070);
            policy.tryTake(1, 2070);
            assertThat(policy.tryTake(1, 1065)).isEqualTo(5);
            assertThat(policy.tryTake(0, 1065)).isEqualTo(5);
            assertThat(policy.nanosUntil(0, 1, 1065)).isEqualTo(5);
            assertThat(policy.available(1065)).isZero();
            assertThat(policy.tryTake(1, 1070)).isEqualTo(PermitPolicy.TAKEN);
        }
    }
}
