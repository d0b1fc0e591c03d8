package dev.weir.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The exact window, held against its definition and the laws that hold for every limit. */
class SlidingWindowLogLawsTest {

    private static final List<SlidingWindowLog> WINDOWS = List.of(
            new SlidingWindowLog(1, Duration.ofSeconds(1)),
            new SlidingWindowLog(3, Duration.ofSeconds(1)),
            new SlidingWindowLog(7, Duration.ofMillis(300)),
            new SlidingWindowLog(100, Duration.ofNanos(10)),
            new SlidingWindowLog(2, Duration.ofDays(100)));

    @Test
    void decidesAsItsDefinitionDoes() {
        for (SlidingWindowLog window : WINDOWS) {
            PolicyTraces.agree(window, () -> new Log(window));
        }
    }

    @Test
    void neverAdmitsMoreThanItsBoundAndReachesIt() {
        for (SlidingWindowLog window : WINDOWS) {
            LimitLaws.boundHolds(window, apart -> most(window, apart));
        }
        for (SlidingWindowLog window : WINDOWS.subList(0, 4)) {
            LimitLaws.boundIsReached(window, apart -> most(window, apart));
        }
    }

    @Test
    void waitsAreExact() {
        WINDOWS.subList(0, 4).forEach(LimitLaws::waitsAreExact);
    }

    @Test
    @Tag("storm")
    void keepsItsBoundAmongThreads() {
        SlidingWindowLog window = new SlidingWindowLog(100, Duration.ofNanos(100_000));
        LimitLaws.holdsAmongThreads(window, 100, 90, apart -> most(window, apart));
        LimitLaws.sumHoldsWhileReconfigured(window, 100, apart -> most(window, apart));
    }

    /** What the Javadoc promises. */
    private static long most(SlidingWindowLog window, long apart) {
        return window.permits() * (apart / window.period().toNanos() + 1);
    }

    /** The definition: all grants ever; charges wait for their places. */
    private static final class Log implements ReferenceModel {

        private final int permits;
        private final long period;
        private final List<Long> times = new ArrayList<>();

        Log(SlidingWindowLog window) {
            permits = window.permits();
            period = window.period().toNanos();
        }

        /** When the next permit could be had after so many others. */
        private long next(int others, long at) {
            int place = times.size() + others - permits;
            return place < 0 ? at : Math.max(at, times.get(place) + period);
        }

        @Override
        public boolean fits(int wanted, long at) {
            return next(wanted - 1, at) == at;
        }

        @Override
        public void take(int taken, long at) {
            for (int i = 0; i < taken; i++) {
                times.add(next(0, times.isEmpty() ? at : Math.max(at, times.get(times.size() - 1))));
            }
        }

        @Override
        public long available(long at) {
            long ahead = times.stream().filter(time -> time > at).count();
            long counting = times.stream()
                    .filter(time -> time <= at && at - time < period)
                    .count();
            return ahead > 0 ? -ahead : permits - counting;
        }
    }
}
