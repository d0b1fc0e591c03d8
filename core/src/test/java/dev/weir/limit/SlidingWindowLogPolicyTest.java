package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The exact window against a list of times that is searched from end to end. */
class SlidingWindowLogPolicyTest {

    private static final long[] ORIGINS = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - 5_000, Long.MAX_VALUE};

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - 1_500})
    @DisplayName("grants N at once, then each exactly a period after the one N before it")
    void exactlyAPeriodAfter(long origin) {
        PermitPolicy policy = Limit.of(2, Duration.ofNanos(1_000)).newPolicy(origin);

        assertThat(policy.tryTake(1, origin)).isZero();
        assertThat(policy.tryTake(1, origin + 400)).isZero();
        assertThat(policy.tryTake(1, origin + 400)).isEqualTo(600);
        assertThat(policy.tryTake(2, origin + 400)).isEqualTo(1_000);
        assertThat(policy.tryTake(1, origin + 999)).isEqualTo(1);
        assertThat(policy.tryTake(1, origin + 1_000)).isZero();
        assertThat(policy.tryTake(1, origin + 1_000)).isEqualTo(400);
        assertThat(policy.nanosUntilFull(origin + 1_000)).isEqualTo(1_000);
        assertThat(policy.nanosUntilFull(origin + 2_000)).isZero();
        assertThat(policy.nanosSinceFull(origin + 2_003)).isEqualTo(3);
    }

    @Test
    @DisplayName("a permit given back in debt repays as much as came back, and no more")
    void givesBackInDebt() {
        PermitPolicy policy = Limit.of(3, Duration.ofNanos(1_000)).newPolicy(0);
        assertThat(policy.tryTake(2, 0)).isZero();
        policy.charge(4, 0);
        for (int debt = 3; debt > 0; debt--) {
            assertThat(policy.available(0)).isEqualTo(-debt);
            policy.giveBack(1, 0, 0);
        }
        assertThat(policy.available(0)).isZero();
        assertThat(policy.tryTake(1, 999)).isEqualTo(1);
        policy.giveBack(1, 0, 0);
        assertThat(policy.available(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("a ring that cannot be replaced, as there is no memory, goes on as it was")
    void changeThatFails() {
        GrantRing ring = new GrantRing(GrantLog.unused(2, 1_000, 0));
        assertThat(ring.tryTake(1, 0)).isZero();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> ring.next(log -> {
                    throw new OutOfMemoryError("of the test");
                }));
        assertThat(ring.available(0)).isEqualTo(1);
        assertThat(ring.tryTake(1, 500)).isZero();
        assertThat(ring.tryTake(1, 500)).isEqualTo(500);
    }

    @Test
    @DisplayName("what is refused needs no memory, however large the request")
    void refusedWithoutMemory() {
        int most = Integer.MAX_VALUE; // no array has so many elements
        PermitPolicy policy = Limit.of(most, Duration.ofNanos(1_000)).newPolicy(0);
        assertThat(policy.tryTake(1, 0)).isZero();
        assertThat(policy.tryTake(1, 300)).isZero();
        assertThat(policy.tryTake(most, 400)).isEqualTo(900);
        assertThat(policy.tryTake(most - 1, 400)).isEqualTo(600);
        assertThat(policy.tryTake(most, 1_299)).isEqualTo(1);
        assertThat(policy.available(400)).isEqualTo(most - 2L);
    }

    @Test
    @DisplayName("decides like the list of all grants, on any clock, for any weights, through give-backs")
    void decidesLikeTheModel() {
        for (long seed = 1; seed <= 400; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            long origin = ORIGINS[(int) (seed % ORIGINS.length)];
            int permits = 1 + random.nextInt(random.nextBoolean() ? 4 : 40);
            long period = 1 + random.nextLong(1_000);
            PermitPolicy policy = Limit.of(permits, Duration.ofNanos(period)).newPolicy(origin);
            Model model = new Model(permits, period);
            long now = origin;
            for (int step = 0; step < 300; step++) {
                now += random.nextInt(5) == 0 ? random.nextInt(2_000) : random.nextInt(10);
                String where = "seed " + seed + " step " + step;
                int wanted = 1 + random.nextInt(permits);
                long expected = model.tryTake(wanted, now - origin);
                assertThat(policy.nanosUntil(wanted - 1, 1, now)).as(where).isEqualTo(expected);
                assertThat(policy.tryTake(wanted, now)).as(where).isEqualTo(expected);
                if (expected == 0 && random.nextInt(4) == 0) {
                    int returned = 1 + random.nextInt(wanted);
                    policy.giveBack(returned, now, now);
                    model.giveBack(returned);
                }
                assertThat(policy.available(now)).as(where).isEqualTo(model.available(now - origin));
                assertThat(policy.tryTake(0, now) == 0).as(where).isEqualTo(model.available(now - origin) > 0);
            }
        }
    }

    @Test
    @DisplayName("debt is repaid at the rate of the limit")
    void debtIsRepaidAtTheRate() {
        PermitPolicy policy = Limit.of(5, Duration.ofNanos(1_000)).newPolicy(0);
        policy.charge(12, 0);

        assertThat(policy.available(0)).isEqualTo(-7);
        assertThat(policy.available(1_000)).isEqualTo(-2);
        assertThat(policy.available(2_000)).isEqualTo(3);
        assertThat(policy.tryTake(1, 0)).isEqualTo(2_000);
        assertThat(policy.tryTake(4, 0)).isEqualTo(3_000);
        assertThat(policy.nanosUntilFull(0)).isEqualTo(3_000);
    }

    @Test
    @DisplayName("n charged at once equal n charged one by one, whatever came before")
    void chargesAddUp() {
        for (long seed = 1; seed <= 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int permits = 1 + random.nextInt(6);
            PermitPolicy atOnce = Limit.of(permits, Duration.ofNanos(100)).newPolicy(0);
            PermitPolicy oneByOne = Limit.of(permits, Duration.ofNanos(100)).newPolicy(0);
            long now = 0;
            for (int step = 0; step < 20; step++) {
                now += random.nextInt(150);
                int taken = 1 + random.nextInt(permits);
                assertThat(atOnce.tryTake(taken, now)).isEqualTo(oneByOne.tryTake(taken, now));
                int charged = random.nextInt(4 * permits);
                atOnce.charge(charged, now);
                for (int i = 0; i < charged; i++) {
                    oneByOne.charge(1, now);
                }
                for (int n = 1; n <= 2 * permits; n++) {
                    assertThat(atOnce.nanosUntil(n - 1, 1, now))
                            .as("seed %d step %d n %d", seed, step, n)
                            .isEqualTo(oneByOne.nanosUntil(n - 1, 1, now));
                }
            }
        }
    }

    @Test
    @DisplayName("an absurd charge is debt without end, and does not overflow")
    void absurdChargeDoesNotOverflow() {
        PermitPolicy policy = Limit.of(1, Duration.ofDays(100)).newPolicy(Long.MAX_VALUE - 10);
        for (int i = 0; i < 5; i++) {
            policy.charge(Integer.MAX_VALUE, Long.MAX_VALUE);
        }
        assertThat(policy.tryTake(1, Long.MAX_VALUE))
                .isGreaterThan(Duration.ofDays(365 * 20).toNanos());
    }

    @Test
    @DisplayName("a grant counts against another limit")
    void reconfigureKeepsWhatWasGranted() {
        PermitPolicy policy = Limit.of(5, Duration.ofNanos(1_000)).newPolicy(0);
        assertThat(policy.tryTake(3, 0)).isZero();
        assertThat(policy.tryTake(2, 500)).isZero();

        policy.reconfigure(Limit.of(3, Duration.ofNanos(1_000)), 600);
        assertThat(policy.capacity()).isEqualTo(3);
        assertThat(policy.tryTake(1, 600)).isEqualTo(400);
        assertThat(policy.tryTake(2, 600)).isEqualTo(900);

        policy.reconfigure(Limit.of(8, Duration.ofNanos(2_000)), 700);
        assertThat(policy.available(700)).isEqualTo(3);
        assertThat(policy.available(2_499)).isEqualTo(6);
    }

    @Test
    @DisplayName("a longer period counts forgotten grants as late as they can have been")
    void reconfigureAssumesTheWorst() {
        PermitPolicy policy = Limit.of(2, Duration.ofNanos(1_000)).newPolicy(0);
        for (long now = 0; now < 5_000; now += 1_000) {
            assertThat(policy.tryTake(2, now)).isZero();
        }
        policy.reconfigure(Limit.of(10, Duration.ofNanos(5_000)), 4_500);

        assertThat(policy.available(4_500)).isZero();
        assertThat(policy.tryTake(1, 4_500)).isEqualTo(500);
        assertThat(policy.tryTake(3, 4_500)).isEqualTo(1_500);
    }

    @Test
    @DisplayName("a charge by a late clock counts from the newest grant on, as a grant would")
    void lateCharge() {
        PermitPolicy policy = Limit.of(3, Duration.ofNanos(100)).newPolicy(0);
        assertThat(policy.tryTake(1, 100)).isZero();
        policy.charge(1, 50);
        assertThat(policy.available(199)).isEqualTo(1);
        assertThat(policy.available(200)).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 50_000_000, Integer.MAX_VALUE})
    @DisplayName("a window remembers its grants when a late clock charges, however large its limit")
    void lateChargeOfALargeLimit(int permits) {
        PermitPolicy policy = Limit.of(permits, Duration.ofNanos(100)).newPolicy(0);
        assertThat(policy.tryTake(1, 100)).isZero();
        long before = allocated();
        policy.charge(1, 99);
        assertThat(allocated() - before).isLessThan(1_000_000);
        assertThat(policy.available(199)).isEqualTo(permits - 2L);
        assertThat(policy.available(200)).isEqualTo(permits);
    }

    @ParameterizedTest
    @ValueSource(ints = {70, 20_000_000, Integer.MAX_VALUE})
    @DisplayName("a longer period recalls what may count within it, however much more the limit has than before")
    void recallsWhatMayCount(int permits) {
        PermitPolicy policy = Limit.of(10, Duration.ofNanos(100)).newPolicy(0);
        for (int window = 0; window < 20; window++) {
            assertThat(policy.tryTake(10, window * 100L)).isZero();
        }
        long before = allocated();
        policy.reconfigure(Limit.of(permits, Duration.ofNanos(600)), 1_900);
        assertThat(allocated() - before).isLessThan(1_000_000);
        assertThat(policy.available(1_900)).isEqualTo(permits - 60L);
        assertThat(policy.available(1_999)).isEqualTo(permits - 60L);
        assertThat(policy.available(2_000)).isEqualTo(permits - 50L);
        assertThat(policy.available(2_500)).isEqualTo(permits);
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    @Test
    @DisplayName("a longer period counts what was overwritten also if the clock of who sets it is late")
    void lateReconfigure() {
        PermitPolicy policy = Limit.of(2, Duration.ofNanos(100)).newPolicy(0);
        assertThat(policy.tryTake(2, 0)).isZero();
        assertThat(policy.tryTake(2, 100)).isZero();
        policy.reconfigure(Limit.of(4, Duration.ofNanos(200)), 50);
        assertThat(policy.available(199)).isZero();
        assertThat(policy.available(200)).isEqualTo(2);
        assertThat(policy.available(300)).isEqualTo(4);
    }

    @Test
    @DisplayName("a clock that stands still, steps back or jumps for hours gains nobody a permit")
    void hostileClock() {
        PermitPolicy policy = Limit.of(3, Duration.ofSeconds(1)).newPolicy(1_000);
        assertThat(policy.tryTake(3, 1_000)).isZero();
        assertThat(policy.tryTake(1, 1_000)).isEqualTo(1_000_000_000);
        assertThat(policy.tryTake(1, -5_000)).isGreaterThanOrEqualTo(1_000_000_000);
        long hoursLater = 1_000 + Duration.ofHours(1_000).toNanos();
        assertThat(policy.available(hoursLater)).isEqualTo(3);
        assertThat(policy.tryTake(2, hoursLater)).isZero();
        assertThat(policy.tryTake(1, hoursLater - 500_000_000)).isZero();
        assertThat(policy.tryTake(1, hoursLater)).isEqualTo(1_000_000_000);
        long centuryLater = hoursLater + Duration.ofDays(36_500).toNanos();
        assertThat(policy.tryTake(3, centuryLater)).isZero();
        assertThat(policy.tryTake(1, centuryLater)).isEqualTo(1_000_000_000);
    }

    /** All grants there ever were. */
    private static final class Model {

        private final int permits;
        private final long period;
        private final List<Long> grants = new ArrayList<>();

        Model(int permits, long period) {
            this.permits = permits;
            this.period = period;
        }

        long tryTake(int wanted, long now) {
            int freed = wanted - available(now);
            long wait = freed <= 0 ? 0 : grants.get(grants.size() - counting(now) + freed - 1) + period - now;
            if (wait == 0) {
                grants.addAll(Collections.nCopies(wanted, now));
            }
            return wait;
        }

        void giveBack(int returned) {
            grants.subList(grants.size() - returned, grants.size()).clear();
        }

        int available(long now) {
            return permits - counting(now);
        }

        private int counting(long now) {
            int counting = 0;
            for (int i = grants.size() - 1; i >= 0 && now - grants.get(i) < period; i--) {
                counting++;
            }
            return counting;
        }
    }
}
