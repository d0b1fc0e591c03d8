package dev.weir.limit;

import java.time.Duration;
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
        WINDOWS.forEach(PolicyTraces::agree);
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
}
