package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SlidingWindowCounterTest {

    private static final List<SlidingWindowCounter> COUNTERS = List.of(
            new SlidingWindowCounter(1, Duration.ofSeconds(1)),
            new SlidingWindowCounter(3, Duration.ofSeconds(1)),
            new SlidingWindowCounter(7, Duration.ofMillis(300)),
            new SlidingWindowCounter(10, Duration.ofNanos(100)),
            new SlidingWindowCounter(100_000, Duration.ofMinutes(1)),
            new SlidingWindowCounter(100, Duration.ofNanos(100_000)),
            new SlidingWindowCounter(1_000_000, Duration.ofDays(100)));

    @Test
    void decidesAsItsDefinitionDoes() {
        for (SlidingWindowCounter counter : COUNTERS) {
            PolicyTraces.agree(counter, () -> new Counter(counter));
        }
    }

    @Test
    void neverAdmitsMoreThanItsBoundAndReachesIt() {
        for (SlidingWindowCounter counter : COUNTERS) {
            LimitLaws.boundHolds(counter, apart -> most(counter, apart));
            long first = counter.window().toNanos() - 1;
            PermitPolicy policy = counter.newPolicy(0);
            assertThat(policy.tryTake(counter.permits(), first)).isEqualTo(PermitPolicy.TAKEN);
            long at = first;
            for (int taken = counter.permits() + 1; taken < counter.permits() + 200; taken++) {
                at += policy.tryTake(1, at);
                assertThat(policy.tryTake(1, at)).isEqualTo(PermitPolicy.TAKEN);
                assertThat(most(counter, at - first)).as(counter + ", " + taken).isEqualTo(taken);
            }
        }
    }

    @Test
    void nineBeforeAndFiveNowAreTooManyAfterAQuarter() {
        PermitPolicy policy = new SlidingWindowCounter(10, Duration.ofMinutes(1)).newPolicy(0);
        long minute = Duration.ofMinutes(1).toNanos();
        policy.tryTake(9, minute / 2);
        policy.charge(5, minute);
        assertThat(policy.available(minute + minute / 4)).isEqualTo(10 - 5 - 6);
        assertThat(policy.tryTake(1, minute + minute / 4)).isPositive();
    }

    @Test
    void longRunRateIsTheLimit() {
        for (SlidingWindowCounter counter : COUNTERS.subList(0, 3)) {
            long window = counter.window().toNanos();
            List<Long> instants = PolicyTraces.saturated(counter, -1, 100 * counter.permits() + 1);
            assertThat(instants.get(instants.size() - 1)).isBetween(100 * window, 100 * window + counter.permits());
        }
    }

    @Test
    void waitsAreExactAndThoseOfManyAreThoseOfSinglePermitsInTurn() {
        for (SlidingWindowCounter counter : COUNTERS) {
            LimitLaws.waitsAreExact(counter);
            List<Long> instants = PolicyTraces.saturated(counter, -1, 3 * Math.min(counter.permits(), 100));
            PermitPolicy policy = counter.newPolicy(-1);
            for (int i = 0; i < instants.size(); i++) {
                assertThat(policy.nanosUntil(i, 1, -1)).as(counter + ", " + i).isEqualTo(instants.get(i));
            }
        }
    }

    @Test
    @Tag("storm")
    void keepsItsBoundAmongThreads() {
        SlidingWindowCounter counter = new SlidingWindowCounter(100, Duration.ofNanos(100_000));
        LimitLaws.eachWindowHoldsAmongThreads(counter, 100_000, Long.MAX_VALUE - 1000, true);
        LimitLaws.sumHoldsWhileReconfigured(counter, 100, apart -> most(counter, apart));
    }

    @Test
    void givesBackToTheWindowInWhichItWasTaken() {
        PermitPolicy policy = new SlidingWindowCounter(10, Duration.ofNanos(1000)).newPolicy(0);
        policy.tryTake(8, 500);
        policy.tryTake(2, 1000);
        assertThat(policy.available(1000)).isZero();
        policy.giveBack(4, 500, 1000);
        assertThat(policy.available(1000)).isEqualTo(4);
        policy.giveBack(2, 1000, 1500);
        assertThat(policy.available(1500)).isEqualTo(8);
        policy.giveBack(8, 500, 2500);
        assertThat(policy.available(2500)).isEqualTo(10);
    }

    @Test
    void debtCountsInLaterWindows() {
        PermitPolicy policy = new SlidingWindowCounter(10, Duration.ofNanos(1000)).newPolicy(0);
        policy.charge(30, 0);
        assertThat(policy.available(0)).isEqualTo(-20);
        assertThat(policy.available(1000)).isEqualTo(-20);
        assertThat(policy.available(1999)).isEqualTo(-10);
        assertThat(policy.available(3000)).isZero();
        assertThat(policy.available(3500)).isEqualTo(5);
    }

    @Test
    void reconfigureKeepsWhatCounts() {
        PermitPolicy policy = new SlidingWindowCounter(10, Duration.ofNanos(1000)).newPolicy(0);
        policy.tryTake(8, 500);
        policy.reconfigure(new SlidingWindowCounter(5, Duration.ofNanos(1000)), 1500);
        assertThat(policy.available(1500)).isEqualTo(1);
        assertThat(policy.capacity()).isEqualTo(5);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.reconfigure(new FixedWindow(5, Duration.ofNanos(1000)), 1500));
    }

    @Test
    void refusesBadInput() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingWindowCounter(-1, Duration.ofSeconds(1)))
                .withMessage("permits must be at least 1, but is -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingWindowCounter(1, Duration.ZERO))
                .withMessage("window must be positive, but is PT0S");
        assertThatNullPointerException()
                .isThrownBy(() -> new SlidingWindowCounter(1, null))
                .withMessage("window");
    }

    /** What the Javadoc promises: for the interval that ends just before the last nanosecond. */
    private static long most(SlidingWindowCounter counter, long apart) {
        Rational share = Rational.of(counter.permits(), counter.window().toNanos());
        return counter.permits()
                + share.times(Rational.of(Math.max(0, apart - 1))).ceiling();
    }

    /** The definition: two counts, debt carried over. */
    private static final class Counter implements ReferenceModel {

        private final int permits;
        private final long length;
        private long window;
        private long before;
        private long used;

        Counter(SlidingWindowCounter counter) {
            permits = counter.permits();
            length = counter.window().toNanos();
        }

        private long estimate(long at) {
            Counter then = new Counter(new SlidingWindowCounter(permits, Duration.ofNanos(length)));
            then.window = window;
            then.before = before;
            then.used = used;
            then.roll(at / length);
            Rational remaining = Rational.of(length - at % length, length);
            return then.used + Rational.of(then.before).times(remaining).floor();
        }

        private void roll(long to) {
            for (; window < to && (used > 0 || before > 0); window++) {
                before = Math.min(used, permits);
                used -= before;
            }
            window = to;
        }

        @Override
        public boolean fits(int wanted, long at) {
            return estimate(at) + wanted <= permits;
        }

        @Override
        public void take(int taken, long at) {
            roll(at / length);
            used += taken;
        }

        @Override
        public long available(long at) {
            return permits - estimate(at);
        }
    }
}
