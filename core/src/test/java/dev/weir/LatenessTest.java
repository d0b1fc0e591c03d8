package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is foreseen of a timer that is late, and what becomes of grants that wait for it. */
class LatenessTest {

    private static final long LONG = 10_000_000;

    private final Lateness lateness = new Lateness();

    @Test
    @DisplayName(
            "nothing is foreseen before the first round of sleeps is over, then what all of the latest had in common")
    void least() {
        for (int sleep = 1; sleep < Lateness.ROUND; sleep++) {
            lateness.slept(LONG, 60_000 + sleep);
            assertThat(lateness.toSleep(LONG)).isEqualTo(LONG);
        }
        lateness.slept(LONG, 60_000);
        assertThat(lateness.toSleep(LONG)).isEqualTo(LONG - 60_000);
    }

    @Test
    @DisplayName("what was least late once is forgotten two rounds later, and one who was held up does not count")
    void recent() {
        sleeps(Lateness.ROUND, 50_000);
        sleeps(Lateness.ROUND, 70_000);
        assertThat(lateness.toSleep(LONG)).isEqualTo(LONG - 70_000);
        lateness.slept(LONG, 5_000_000);
        assertThat(lateness.toSleep(LONG)).isEqualTo(LONG - 70_000);
        sleeps(1, 65_000);
        assertThat(lateness.toSleep(LONG)).as("at once").isEqualTo(LONG - 65_000);
        sleeps(1, 66_000);
        assertThat(lateness.toSleep(LONG)).isEqualTo(LONG - 65_000);
    }

    @Test
    @DisplayName("a timer that is early, or never late, is asked for what is needed")
    void early() {
        sleeps(Lateness.ROUND, -30_000);
        assertThat(lateness.toSleep(LONG)).isEqualTo(LONG);
        sleeps(Lateness.ROUND, 0);
        assertThat(lateness.toSleep(LONG)).isEqualTo(LONG);
    }

    @Test
    @DisplayName("not more than a millisecond is foreseen")
    void most() {
        sleeps(2 * Lateness.ROUND, LONG);
        assertThat(lateness.toSleep(LONG)).isEqualTo(LONG - Lateness.MOST_NANOS);
    }

    @Test
    @DisplayName("short sleeps are not made shorter, and tell nothing")
    void shortSleeps() {
        sleeps(Lateness.ROUND, 60_000);
        for (int sleep = 0; sleep < Lateness.ROUND; sleep++) {
            lateness.slept(79_999, 60_000);
            lateness.slept(80_000, 60_000);
        }
        assertThat(lateness.toSleep(80_000)).isEqualTo(Lateness.SHORTEST_NANOS);
        assertThat(lateness.toSleep(79_999)).isEqualTo(79_999);
        lateness.slept(Lateness.SHORTEST_NANOS - 1, 1);
        assertThat(lateness.toSleep(LONG)).isEqualTo(LONG - 60_000);
    }

    @Test
    @DisplayName(
            "what is foreseen of a sleep is what those of its length had in common: shorter and longer ones tell nothing")
    void lengths() {
        sleeps(Lateness.ROUND, 230_000);
        for (int sleep = 0; sleep < Lateness.ROUND; sleep++) {
            lateness.slept(LONG / 16, 110_000);
        }
        assertThat(lateness.toSleep(LONG)).isEqualTo(LONG - 230_000);
        assertThat(lateness.toSleep(LONG / 16)).isEqualTo(LONG / 16 - 110_000);
        assertThat(lateness.toSleep(LONG * 16)).isEqualTo(LONG * 16);
        assertThat(lateness.toSleep(Lateness.SHORTEST_NANOS)).isEqualTo(Lateness.SHORTEST_NANOS);
    }

    @Test
    @DisplayName("an exact window on a timer that is always late lets its permits go in time, and never too early")
    void keepsTheRate() {
        SteppedTime time = new SteppedTime(Long.MAX_VALUE - 5);
        long late = 57_000;
        RateLimiter limiter = RateLimiter.builder(Limit.of(2, Duration.ofMillis(1)))
                .timeSource(lateBy(late, time))
                .build();
        int rounds = 100;
        List<Long> granted = new ArrayList<>();
        for (int request = 0; request < 2 * rounds; request++) {
            limiter.acquire(1, lease -> granted.add(time.nanoTime()));
        }
        time.advanceBy(Duration.ofSeconds(1));

        assertThat(granted).hasSize(2 * rounds);
        for (int i = 2; i < granted.size(); i++) {
            assertThat(granted.get(i) - granted.get(i - 2)).isGreaterThanOrEqualTo(1_000_000);
        }
        long behind = granted.get(2 * rounds - 1) - granted.get(0) - (rounds - 1) * 1_000_000L;
        assertThat(behind).as("late in the first round of alarms only").isEqualTo(Lateness.ROUND * late);
        assertThat(time.pendingTasks()).isZero();
    }

    private void sleeps(int count, long lateNanos) {
        for (int i = 0; i < count; i++) {
            lateness.slept(LONG, lateNanos);
        }
    }

    private static TimeSource lateBy(long nanos, SteppedTime time) {
        return new TimeSource() {

            @Override
            public long nanoTime() {
                return time.nanoTime();
            }

            @Override
            public Cancellable schedule(Runnable task, long delayNanos) {
                return time.schedule(task, delayNanos + nanos);
            }
        };
    }
}
