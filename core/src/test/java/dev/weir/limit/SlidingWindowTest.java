package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SlidingWindowTest {

    private static final List<SlidingWindow> WINDOWS = List.of(
            new SlidingWindow(1, Duration.ofSeconds(1), 10),
            new SlidingWindow(3, Duration.ofSeconds(1), 1),
            new SlidingWindow(10, Duration.ofSeconds(1), 7),
            new SlidingWindow(40, Duration.ofMillis(300), 100),
            new SlidingWindow(5, Duration.ofNanos(10), 20),
            new SlidingWindow(7, Duration.ofNanos(1), 3));

    @Test
    void decidesAsItsDefinitionDoes() {
        for (SlidingWindow window : WINDOWS) {
            PolicyTraces.agreeOnTaking(window, () -> new Segments(window));
        }
    }

    @Test
    void neverAdmitsMoreThanItsBoundAndReachesIt() {
        for (SlidingWindow window : WINDOWS) {
            LimitLaws.boundHolds(window, apart -> most(window, apart));
            LimitLaws.boundIsReached(window, apart -> most(window, apart));
        }
        SlidingWindow long100Days = new SlidingWindow(4, Duration.ofDays(100), 3);
        LimitLaws.boundHolds(long100Days, apart -> most(long100Days, apart));
    }

    @Test
    void waitsAtMostOneSegmentLongerThanTheExactWindow() {
        PermitPolicy policy = new SlidingWindow(3, Duration.ofNanos(1000), 10).newPolicy(-1);
        policy.tryTake(1, 0);
        assertThat(policy.tryTake(3, 0)).isEqualTo(1000);
        policy.tryTake(1, 99);
        assertThat(policy.tryTake(2, 99)).isEqualTo(1000);
        policy.tryTake(1, 100);
        assertThat(policy.tryTake(1, 100)).isEqualTo(999);
        assertThat(policy.tryTake(3, 100)).isEqualTo(1000);
    }

    @Test
    void waitsAreExact() {
        WINDOWS.forEach(LimitLaws::waitsAreExact);
    }

    @Test
    @Tag("storm")
    void keepsItsBoundAmongThreads() {
        SlidingWindow window = new SlidingWindow(100, Duration.ofNanos(100_000), 10);
        LimitLaws.holdsAmongThreads(window, 100, 85, apart -> most(window, apart));
        LimitLaws.sumHoldsWhileReconfigured(window, 100, apart -> most(window, apart));
    }

    @Test
    void whatIsGivenBackReturns() {
        PermitPolicy policy = new SlidingWindow(10, Duration.ofNanos(1000), 10).newPolicy(0);
        policy.tryTake(6, 0);
        policy.tryTake(4, 500);
        policy.giveBack(3, 500, 510);
        assertThat(policy.available(510)).isEqualTo(3);
        policy.giveBack(5, 0, 510);
        assertThat(policy.available(510)).isEqualTo(8);
        assertThat(policy.tryTake(9, 510)).isEqualTo(490);
        policy.giveBack(1, 0, 1400);
        assertThat(policy.available(1400)).isEqualTo(9);
        assertThat(policy.nanosUntilFull(1400)).isEqualTo(100);
        policy.giveBack(1, 500, 1400);
        assertThat(policy.nanosUntilFull(1400)).isZero();
    }

    @Test
    void debtTakesTheNextPlaces() {
        PermitPolicy policy = new SlidingWindow(10, Duration.ofNanos(1000), 10).newPolicy(0);
        policy.tryTake(4, 0);
        policy.charge(8, 500);
        assertThat(policy.available(500)).isEqualTo(-2);
        assertThat(policy.tryTake(1, 500)).isEqualTo(500);
        assertThat(policy.tryTake(2, 500)).isEqualTo(500);
        assertThat(policy.tryTake(3, 500)).isEqualTo(1000);
        assertThat(policy.available(1000)).isEqualTo(2);
        policy.giveBack(1, 500, 600);
        assertThat(policy.available(600)).isEqualTo(-1);
        policy.charge(101, 600);
        assertThat(policy.available(600)).isEqualTo(-102);
        for (int i = 0; i < 100; i++) {
            policy.charge(Integer.MAX_VALUE, 600);
        }
        assertThat(policy.available(600)).isEqualTo(-102 - 100L * Integer.MAX_VALUE);
    }

    @Test
    void whatIsOnlyChargedIsForgottenAfterAWindow() {
        PermitPolicy policy = new SlidingWindow(1, Duration.ofNanos(10), 1).newPolicy(0);
        long now = 0;
        for (int charges = 0; charges < 10_000; charges++) {
            policy.charge(2, now);
            now += 100;
        }
        long before = allocated();
        policy.charge(2, now);
        assertThat(allocated() - before).isLessThan(10_000);
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    @Test
    void inSegmentsOfANanosecondChargesCountAsInTheExactWindow() {
        for (long seed = 1; seed <= 5_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int permits = 1 + random.nextInt(5);
            int window = 2 + random.nextInt(15);
            PermitPolicy segments = new SlidingWindow(permits, Duration.ofNanos(window), window).newPolicy(0);
            PermitPolicy exact = new SlidingWindowLog(permits, Duration.ofNanos(window)).newPolicy(0);
            long now = 0;
            for (int step = 0; step < 40; step++) {
                now += random.nextInt(3) == 0 ? random.nextInt(4 * window) : random.nextInt(3);
                String trace = "seed " + seed + ", step " + step + " at " + now;
                if (random.nextInt(4) > 0) {
                    int charged = 1 + random.nextInt(2 * permits);
                    segments.charge(charged, now);
                    exact.charge(charged, now);
                }
                int wanted = 1 + random.nextInt(permits);
                assertThat(segments.available(now)).as(trace).isEqualTo(exact.available(now));
                assertThat(segments.tryTake(wanted, now)).as(trace).isEqualTo(exact.tryTake(wanted, now));
                assertThat(segments.nanosUntilFull(now)).as(trace).isEqualTo(exact.nanosUntilFull(now));
            }
        }
    }

    @Test
    void reconfigureKeepsWhatCounts() {
        PermitPolicy policy = new SlidingWindow(10, Duration.ofNanos(1000), 10).newPolicy(0);
        policy.tryTake(6, 0);
        policy.reconfigure(new SlidingWindow(20, Duration.ofNanos(2000), 5), 500);
        assertThat(policy.available(1500)).isEqualTo(14);
        policy.reconfigure(new SlidingWindow(5, Duration.ofNanos(1000), 5), 500);
        assertThat(policy.tryTake(1, 500)).isEqualTo(500);
        assertThat(policy.capacity()).isEqualTo(5);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.reconfigure(new FixedWindow(5, Duration.ofNanos(1000)), 1500));
    }

    @Test
    void waitsForWhatWasForgottenAreExactThoughTimesAreRounded() {
        long day = Duration.ofDays(1).toNanos();
        long now = 2 * day + Duration.ofHours(1).toNanos() + 7;
        PermitPolicy policy = new SlidingWindow(10, Duration.ofDays(1), 4).newPolicy(0);
        for (long at : new long[] {0, day, 2 * day, now}) {
            assertThat(policy.tryTake(1, at)).isEqualTo(PermitPolicy.TAKEN);
        }
        policy.reconfigure(new SlidingWindow(10, Duration.ofDays(3), 4), now);
        long wait = 3 * day - now;
        assertThat(policy.tryTake(1, now)).isEqualTo(wait);
        assertThat(policy.tryTake(0, now)).isEqualTo(wait);
        assertThat(policy.nanosUntil(0, 1, now)).isEqualTo(wait);
        assertThat(policy.tryTake(0, now + wait - 1)).isEqualTo(1);
        assertThat(policy.tryTake(0, now + wait)).isEqualTo(PermitPolicy.TAKEN);
    }

    @Test
    void sixPizzasInAnyThirtyMinutes() {
        PermitPolicy policy = new SlidingWindow(6, Duration.ofMinutes(30), 6).newPolicy(0);
        long minute = Duration.ofMinutes(1).toNanos();
        for (long at : new long[] {0, 6, 12, 18, 24, 29}) {
            assertThat(policy.tryTake(1, at * minute)).isEqualTo(PermitPolicy.TAKEN);
        }
        assertThat(policy.tryTake(1, 29 * minute)).isEqualTo(minute);
        assertThat(policy.tryTake(2, 30 * minute)).isEqualTo(6 * minute);
        assertThat(policy.tryTake(1, 30 * minute)).isEqualTo(PermitPolicy.TAKEN);
    }

    @Test
    void refusesBadInput() {
        Duration second = Duration.ofSeconds(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingWindow(0, second, 1))
                .withMessage("permits must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingWindow(1, second, 0))
                .withMessage("segments must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingWindow(1, Duration.ZERO, 1))
                .withMessage("window must be positive, but is PT0S");
        assertThatNullPointerException()
                .isThrownBy(() -> new SlidingWindow(1, null, 1))
                .withMessage("window");
    }

    /** What the Javadoc promises. */
    private static long most(SlidingWindow window, long apart) {
        return window.permits() * (apart / window.window().toNanos() + 1);
    }

    /** The definition: segments that begin with a permit, and count until the last of it is a window old. */
    private static final class Segments implements ReferenceModel {

        private record Segment(long begin, long last, int count) {}

        private final SlidingWindow limit;
        private final long length;
        private final List<Segment> segments = new ArrayList<>();

        Segments(SlidingWindow limit) {
            this.limit = limit;
            this.length =
                    Rational.of(limit.window().toNanos(), limit.segments()).ceiling();
        }

        @Override
        public boolean fits(int permits, long at) {
            return permits <= available(at);
        }

        @Override
        public void take(int permits, long at) {
            Segment open = segments.isEmpty() ? new Segment(0, 0, 0) : segments.get(segments.size() - 1);
            if (open.count() > 0 && at - open.begin() < length) {
                segments.set(segments.size() - 1, new Segment(open.begin(), at, open.count() + permits));
            } else {
                segments.add(new Segment(at, at, permits));
            }
        }

        @Override
        public long available(long at) {
            return limit.permits()
                    - segments.stream()
                            .filter(segment ->
                                    at - segment.last() < limit.window().toNanos())
                            .mapToLong(Segment::count)
                            .sum();
        }
    }
}
