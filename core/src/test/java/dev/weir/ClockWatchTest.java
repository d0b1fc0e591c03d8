package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.TimeSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread that looks at the clock until it is time, and when it rather does not. */
class ClockWatchTest {

    private static final long NEAR = ClockWatch.LONGEST_NANOS / 2;
    private static final long PER_READING = 30;

    /** Goes by itself, at each reading. */
    private static final class Clock implements TimeSource {

        private long now;
        private int readings;

        Clock(long origin) {
            this.now = origin;
        }

        @Override
        public long nanoTime() {
            readings++;
            now += PER_READING;
            return now;
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            throw new AssertionError("nothing is scheduled");
        }
    }

    private final Clock clock = new Clock(0);
    private final ClockWatch watch = new ClockWatch(clock, 2);

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE, -1, Long.MAX_VALUE - NEAR / 2})
    @DisplayName("a watch ends when it is time, and not before, whatever the clock's origin")
    void inTime(long origin) {
        Clock clock = new Clock(origin);
        long due = origin + NEAR;
        assertThat(new ClockWatch(clock, 2).until(due, clock, () -> true)).isTrue();
        assertThat(clock.now - due).isBetween(0L, PER_READING);
    }

    @Test
    @DisplayName("a time that is far off, or over, is not near")
    void near() {
        assertThat(ClockWatch.isNear(ClockWatch.LONGEST_NANOS)).isTrue();
        assertThat(ClockWatch.isNear(1)).isTrue();
        assertThat(ClockWatch.isNear(ClockWatch.LONGEST_NANOS + 1)).isFalse();
        assertThat(ClockWatch.isNear(0)).isFalse();
        assertThat(ClockWatch.isNear(Long.MIN_VALUE)).isFalse();
    }

    @Test
    @DisplayName("a watch does not begin for a time that is far off")
    void farOff() {
        assertThat(watch.until(10 * ClockWatch.LONGEST_NANOS, clock, () -> true))
                .isFalse();
        assertThat(clock.readings).isLessThan(10);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, ClockWatch.SAME_NANOS + 1, Long.MIN_VALUE, Long.MAX_VALUE})
    @DisplayName("another clock is not watched: it may stand still")
    void anotherClock(long ahead) {
        Clock another = new Clock(clock.now + ahead);
        assertThat(watch.until(another.now + NEAR, another, () -> true)).isFalse();
        assertThat(clock.readings).isLessThan(10);
    }

    @Test
    @DisplayName("a watch ends when it is no longer wanted")
    void notWanted() {
        int[] looks = {0};
        assertThat(watch.until(NEAR, clock, () -> ++looks[0] < 10)).isFalse();
        assertThat(looks[0]).isEqualTo(10);
        assertThat(clock.now).isLessThan(NEAR);
    }

    @Test
    @DisplayName("a watch excludes every other one until it ends")
    void oneAtATime() {
        int[] others = {0};
        assertThat(watch.until(NEAR, clock, () -> {
                    assertThat(watch.until(NEAR, clock, () -> ++others[0] < 10)).isFalse();
                    return true;
                }))
                .isTrue();
        assertThat(others[0]).isZero();
    }

    @Test
    @DisplayName("an eighth of the time is watched at most, by whom so ever")
    void share() {
        long begin = clock.now;
        long watched = 0;
        while (clock.now - begin < 100 * NEAR) {
            long before = clock.now;
            boolean hasWatched = watch.until(before + NEAR / 10, clock, () -> true);
            watched += hasWatched ? clock.now - before : 0;
            clock.now += NEAR / 100;
        }
        double share = (double) watched / (clock.now - begin);
        assertThat(share).isBetween(0.75 / ClockWatch.SHARE, 1.01 / ClockWatch.SHARE);
    }

    @Test
    @DisplayName("the only processor is left to others")
    void oneProcessor() {
        assertThat(new ClockWatch(clock, 1).until(NEAR, clock, () -> true)).isFalse();
        assertThat(clock.readings).isLessThan(10);
    }
}
