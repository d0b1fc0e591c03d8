package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is foreseen of a timer that is late. */
class LatenessTest {

    private static final long LONG = 10_000_000;
    private static final long WITHIN = Lateness.STEP_DOWN_NANOS + Lateness.STEP_UP_NANOS;

    private final Lateness lateness = new Lateness();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @DisplayName("a prediction is exceeded by one of four sleeps, whatever they have in common")
    void threeOfFour(long seed) {
        Random random = new Random(seed);
        sleeps(200, () -> 60_000 + random.nextLong(100_000));
        int later = 0;
        for (int sleep = 0; sleep < 10_000; sleep++) {
            long late = 60_000 + random.nextLong(100_000);
            later += late > foreseen() ? 1 : 0;
            lateness.slept(LONG, late, false);
        }
        assertThat(later / 10_000.0).as("seed " + seed).isBetween(0.24, 0.26);
        assertThat(foreseen()).as("seed " + seed).isBetween(110_000L, 160_000L);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @DisplayName("a prediction that makes early sleeps vain is lowered until one in eleven is")
    void inVain(long seed) {
        Random random = new Random(seed);
        int early = 0;
        for (int sleep = 0; sleep < 10_000; sleep++) {
            long late = 60_000 + random.nextLong(100_000);
            boolean isEarly = late < foreseen();
            early += isEarly ? 1 : 0;
            lateness.slept(LONG, late, isEarly);
        }
        assertThat(early / 10_000.0).as("seed " + seed).isBetween(0.08, 0.1);
    }

    @Test
    @DisplayName("nothing is foreseen at first, and soon what all have in common")
    void atFirst() {
        assertThat(foreseen()).isZero();
        sleeps(20, () -> 60_000);
        assertThat(foreseen()).isBetween(60_000 - WITHIN, 60_000 + WITHIN);
    }

    @Test
    @DisplayName("a sleep that was held up counts as any other, and the usual lateness follows the latest")
    void recent() {
        sleeps(100, () -> 60_000);
        lateness.slept(LONG, 50 * LONG, false);
        assertThat(foreseen()).isLessThanOrEqualTo(60_000 + 2 * WITHIN);
        sleeps(20, () -> 40_000);
        assertThat(foreseen()).isBetween(40_000 - WITHIN, 40_000 + WITHIN);
    }

    @Test
    @DisplayName("a timer that is early, or never late, is asked for what is needed")
    void early() {
        sleeps(100, () -> -30_000);
        assertThat(foreseen()).isZero();
        sleeps(100, () -> 0);
        assertThat(foreseen()).isZero();
    }

    @Test
    @DisplayName("a prediction is a millisecond at most")
    void most() {
        sleeps(1_000, () -> LONG);
        assertThat(foreseen()).isEqualTo(Lateness.MOST_NANOS);
    }

    @Test
    @DisplayName("short sleeps are not made shorter, and tell nothing")
    void shortSleeps() {
        sleeps(100, () -> 60_000);
        for (int sleep = 0; sleep < 100; sleep++) {
            lateness.slept(30_000, 60_000, false);
            lateness.slept(Lateness.SHORTEST_NANOS - 1, LONG, false);
        }
        assertThat(lateness.toSleep(30_000)).isEqualTo(Lateness.SHORTEST_NANOS);
        assertThat(lateness.toSleep(Lateness.SHORTEST_NANOS - 1)).isEqualTo(Lateness.SHORTEST_NANOS - 1);
        assertThat(lateness.toSleep(1)).isEqualTo(1);
        assertThat(foreseen()).isBetween(60_000 - WITHIN, 60_000 + WITHIN);
    }

    @Test
    @DisplayName("a prediction is that of sleeps of similar length: shorter and longer ones tell nothing")
    void lengths() {
        sleeps(200, () -> 230_000);
        for (int sleep = 0; sleep < 200; sleep++) {
            lateness.slept(LONG / 16, 110_000, false);
        }
        assertThat(foreseen()).isBetween(230_000 - WITHIN, 230_000 + WITHIN);
        assertThat(LONG / 16 - lateness.toSleep(LONG / 16)).isBetween(110_000 - WITHIN, 110_000 + WITHIN);
        assertThat(lateness.toSleep(LONG * 16)).isEqualTo(LONG * 16);
    }

    @Test
    @DisplayName(
            "an exact window on a timer that is always late lets nothing go too early, and less is late than without")
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
        assertThat(behind).as("nobody watches a clock that is moved by hand").isLessThan(rounds * late * 2 / 3);
        assertThat(time.pendingTasks()).isZero();
    }

    private static TimeSource lateBy(long nanos, SteppedTime time) {
        return new DelegatingTime(time) {
            @Override
            public Cancellable schedule(Runnable task, long delayNanos) {
                return super.schedule(task, delayNanos + nanos);
            }
        };
    }

    private long foreseen() {
        return LONG - lateness.toSleep(LONG);
    }

    private void sleeps(int count, LongSupplier lateNanos) {
        for (int i = 0; i < count; i++) {
            lateness.slept(LONG, lateNanos.getAsLong(), false);
        }
    }
}
