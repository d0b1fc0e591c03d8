package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FixedWindowTest {

    private static final List<FixedWindow> WINDOWS = List.of(
            new FixedWindow(1, Duration.ofNanos(1)),
            new FixedWindow(3, Duration.ofSeconds(1)),
            new FixedWindow(7, Duration.ofMillis(300)),
            new FixedWindow(1_000_000, Duration.ofSeconds(1)),
            new FixedWindow(1, Duration.ofDays(100)));

    @Test
    void decidesAsItsDefinitionDoes() {
        WINDOWS.forEach(PolicyTraces::agree);
    }

    @Test
    void neverAdmitsMoreThanItsBound() {
        for (FixedWindow window : WINDOWS) {
            LimitLaws.boundHolds(window, apart -> most(window, apart));
            LimitLaws.boundHolds(window.aligned(), apart -> most(window.aligned(), apart));
        }
    }

    @Test
    void reachesItsBoundAroundTheEndOfAWindow() {
        PermitPolicy policy = new FixedWindow(5, Duration.ofNanos(1000)).newPolicy(7);
        assertThat(policy.tryTake(1, 7)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(4, 1006)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 1006)).isEqualTo(1);
        assertThat(policy.tryTake(5, 1007)).isEqualTo(PermitPolicy.TAKEN);
        PermitPolicy aligned =
                new FixedWindow(5, Duration.ofNanos(1000)).aligned().newPolicy(7);
        assertThat(aligned.tryTake(5, 999)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(aligned.tryTake(5, 1000)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(aligned.tryTake(1, 1000)).isEqualTo(1000);
    }

    @Test
    void twoWindowsOfTwoAroundTheMinute() {
        PermitPolicy policy =
                new FixedWindow(2, Duration.ofSeconds(60)).aligned().newPolicy(0);
        for (long second : new long[] {58, 59, 61, 62}) {
            assertThat(policy.tryTake(1, Duration.ofSeconds(second).toNanos())).isEqualTo(PermitPolicy.TAKEN);
        }
    }

    @Test
    void fourWithinHalfASecondAtTwoPerSecond() {
        PermitPolicy fixed = new FixedWindow(2, Duration.ofSeconds(1)).aligned().newPolicy(0);
        PermitPolicy exact = new SlidingWindowLog(2, Duration.ofSeconds(1)).newPolicy(0);
        int admitted = 0;
        for (long millis : new long[] {800, 900, 1100, 1200}) {
            long now = Duration.ofMillis(millis).toNanos();
            assertThat(fixed.tryTake(1, now)).isEqualTo(PermitPolicy.TAKEN);
            admitted += exact.tryTake(1, now) == PermitPolicy.TAKEN ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(2);
    }

    @Test
    void alignsToTheClockWhateverItsOrigin() {
        FixedWindow limit = new FixedWindow(1, Duration.ofNanos(1000)).aligned();
        for (long origin : PolicyTraces.ORIGINS) {
            PermitPolicy policy = limit.newPolicy(origin);
            assertThat(policy.nanosSinceFull(origin)).isZero();
            policy.tryTake(1, origin);
            long toNext = 1000 - Math.floorMod(origin, 1000L);
            assertThat(policy.tryTake(1, origin)).as("from " + origin).isEqualTo(toNext);
            assertThat(policy.tryTake(1, origin + toNext)).isEqualTo(PermitPolicy.TAKEN);
        }
    }

    @Test
    void isIdleNoLongerThanItExistsAlsoUnderAnotherLimit() {
        FixedWindow aligned = new FixedWindow(10, Duration.ofNanos(1000)).aligned();
        for (FixedWindow changed : List.of(
                new FixedWindow(20, Duration.ofNanos(1000)).aligned(),
                new FixedWindow(10, Duration.ofNanos(7000)).aligned(),
                new FixedWindow(10, Duration.ofNanos(1000)))) {
            PermitPolicy policy = aligned.newPolicy(700);
            policy.reconfigure(changed, 700);
            assertThat(policy.nanosSinceFull(700)).as("under %s", changed).isZero();
            assertThat(policy.nanosSinceFull(5700)).as("under %s", changed).isEqualTo(5000);
        }
    }

    @Test
    void aWindowWhoseUseIsGivenBackHasNotBegun() {
        PermitPolicy policy = new FixedWindow(2, Duration.ofNanos(1000)).newPolicy(0);
        policy.tryTake(2, 0);
        policy.giveBack(2, 0, 500);
        assertThat(policy.tryTake(2, 600)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 1000)).isEqualTo(600);
        policy.giveBack(2, 600, 1600);
        assertThat(policy.tryTake(1, 1600)).isEqualTo(PermitPolicy.TAKEN);
        policy.giveBack(2, 600, 1600);
        assertThat(policy.available(1600)).isEqualTo(1);
    }

    @Test
    void whatIsGivenBackDoesNotDependOnWhoLooked() {
        for (boolean looked : new boolean[] {false, true}) {
            PermitPolicy policy = new FixedWindow(5, Duration.ofNanos(1000)).newPolicy(0);
            policy.tryTake(5, 0);
            policy.charge(1, 0);
            if (looked) {
                assertThat(policy.tryTake(5, 1000)).isEqualTo(1000);
            }
            policy.giveBack(5, 0, 1000);
            assertThat(policy.available(1000)).isEqualTo(4);
        }
    }

    @Test
    void whatAnEarlierWindowForgotDoesNotComeBackUnderASmallerLimit() {
        PermitPolicy policy = new FixedWindow(4, Duration.ofNanos(5)).newPolicy(0);
        policy.tryTake(2, 0);
        policy.reconfigure(new FixedWindow(1, Duration.ofNanos(10)), 5);
        assertThat(policy.tryTake(1, 6)).isEqualTo(PermitPolicy.TAKEN);
        policy.giveBack(2, 0, 6);
        assertThat(policy.tryTake(1, 6)).isEqualTo(10);
    }

    @Test
    void aWindowThatIsOverByAnotherLimitCountsFromThePresent() {
        PermitPolicy policy = new FixedWindow(3, Duration.ofNanos(1000)).newPolicy(-9);
        policy.tryTake(2, -9);
        policy.reconfigure(new FixedWindow(3, Duration.ofNanos(500)), 491);
        assertThat(policy.available(491)).isEqualTo(1);
        assertThat(policy.tryTake(2, 491)).isEqualTo(500);
    }

    @Test
    void debtCountsInLaterWindows() {
        PermitPolicy policy = new FixedWindow(10, Duration.ofNanos(1000)).newPolicy(0);
        policy.charge(35, 0);
        assertThat(policy.available(0)).isEqualTo(-25);
        assertThat(policy.tryTake(5, 10)).isEqualTo(2990);
        assertThat(policy.tryTake(6, 10)).isEqualTo(3990);
        assertThat(policy.available(3000)).isEqualTo(5);
        assertThat(policy.nanosUntilFull(3000)).isEqualTo(1000);
        assertThat(policy.nanosUntil(25, 1, 3000)).isEqualTo(3000);
        for (int i = 0; i < 100; i++) {
            policy.charge(Integer.MAX_VALUE, 3000);
        }
        assertThat(policy.available(3000)).isEqualTo(5 - 100L * Integer.MAX_VALUE);
    }

    @Test
    void waitsAreExact() {
        WINDOWS.forEach(LimitLaws::waitsAreExact);
        WINDOWS.forEach(window -> LimitLaws.waitsAreExact(window.aligned()));
    }

    @Test
    @Tag("storm")
    void keepsItsBoundAmongThreads() {
        FixedWindow window = new FixedWindow(100, Duration.ofNanos(100_000));
        LimitLaws.eachWindowHoldsAmongThreads(window, 100_000, Long.MAX_VALUE - 1000, false);
        LimitLaws.eachWindowHoldsAmongThreads(window.aligned(), 100_000, 0, true);
        LimitLaws.sumHoldsWhileReconfigured(window, 100, apart -> most(window, apart));
        LimitLaws.sumHoldsWhileReconfigured(window.aligned(), 100, apart -> most(window.aligned(), apart));
    }

    @Test
    void reconfigureKeepsWhatCounts() {
        PermitPolicy policy = new FixedWindow(10, Duration.ofNanos(1000)).newPolicy(0);
        policy.tryTake(8, 0);
        policy.reconfigure(new FixedWindow(20, Duration.ofNanos(2000)), 500);
        assertThat(policy.available(1500)).isEqualTo(12);
        assertThat(policy.tryTake(13, 1500)).isEqualTo(500);
        policy.reconfigure(new FixedWindow(5, Duration.ofNanos(100)), 1500);
        assertThat(policy.available(1500)).isEqualTo(-3);
        assertThat(policy.tryTake(1, 1500)).isEqualTo(100);
        assertThat(policy.capacity()).isEqualTo(5);
    }

    @Test
    void alignedWindowsOfTheSameLengthStayAlsoOnceTheClockHasWrapped() {
        FixedWindow limit = new FixedWindow(4, Duration.ofNanos(9)).aligned();
        for (FixedWindow changed : List.of(limit, new FixedWindow(2, Duration.ofNanos(9)).aligned())) {
            for (long origin : PolicyTraces.ORIGINS) {
                PermitPolicy policy = limit.newPolicy(origin);
                policy.tryTake(1, origin);
                policy.tryTake(4, origin + 30);
                long left = policy.tryTake(1, origin + 30);
                policy.reconfigure(changed, origin + 30);
                assertThat(policy.nanosUntil(0, 1, origin + 30))
                        .as("from %s, under %s", origin, changed)
                        .isEqualTo(changed.permits() == 4 ? left : left + 9);
            }
        }
    }

    @Test
    void refusesBadInput() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FixedWindow(0, Duration.ofSeconds(1)))
                .withMessage("permits must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FixedWindow(1, Duration.ZERO))
                .withMessage("window must be positive, but is PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FixedWindow(1, Duration.ofDays(40_000)))
                .withMessageStartingWith("window must be at most PT640511H");
        assertThatNullPointerException()
                .isThrownBy(() -> new FixedWindow(1, null))
                .withMessage("window");
    }

    /** What the Javadoc promises, where the interval counts the last nanosecond, too. */
    private static long most(FixedWindow window, long apart) {
        long nanos = window.window().toNanos();
        if (apart == 0 || nanos == 1) {
            return window.permits() * (apart + 1);
        }
        long windows = apart / nanos + 2;
        return window.permits() * windows - (window.onMultiples() || apart % nanos == 0 ? 0 : 1);
    }
}
