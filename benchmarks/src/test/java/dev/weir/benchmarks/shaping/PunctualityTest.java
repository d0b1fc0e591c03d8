package dev.weir.benchmarks.shaping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Times that are known, and what is to be found out of them. */
class PunctualityTest {

    private static final long MILLI = 1_000_000;
    private static final Rate EVENLY = new Rate(1_000, Rate.Shape.EVEN);
    private static final Rate IN_WINDOWS = new Rate(200, Rate.Shape.WINDOWS);

    @Test
    @DisplayName("elements on time are on time, whenever the first was")
    void onTime() {
        Punctuality punctuality = new Punctuality(every(MILLI), EVENLY, 0);
        assertThat(punctuality.reached()).isEqualTo(1);
        assertThat(punctuality.worstWindow()).isEqualTo(1);
        assertThat(punctuality.behindSchedule()).containsOnly(0);
        assertThat(punctuality.afterPermitted()).containsOnly(0);
    }

    @Test
    @DisplayName("a rate twice too slow reaches half, falls behind, and is late by one distance each time")
    void tooSlow() {
        Punctuality punctuality = new Punctuality(every(2 * MILLI), EVENLY, 0);
        assertThat(punctuality.reached()).isEqualTo(0.5);
        assertThat(punctuality.worstWindow()).isEqualTo(0.5);
        assertThat(punctuality.behindSchedule()).startsWith(0).endsWith(99 * MILLI);
        assertThat(punctuality.afterPermitted()).containsOnly(MILLI);
    }

    @Test
    @DisplayName("a rate twice too fast shows in the worst window")
    void tooFast() {
        Punctuality punctuality = new Punctuality(every(MILLI / 2), EVENLY, 0);
        assertThat(punctuality.reached()).isEqualTo(2);
        assertThat(punctuality.worstWindow()).isEqualTo(2);
    }

    @Test
    @DisplayName("a single crowded window is found between others that are not")
    void oneBadWindow() {
        long[] times = every(MILLI);
        for (int i = 50; i < times.length; i++) {
            times[i] -= 3 * MILLI;
        }
        assertThat(new Punctuality(times, EVENLY, 0).worstWindow()).isEqualTo(1.3);
    }

    @Test
    @DisplayName("with slack, what was late may be caught up, and counts as late no longer")
    void caughtUp() {
        long[] times = every(MILLI);
        times[50] += 3 * MILLI;
        times[51] += 2 * MILLI;
        times[52] += MILLI;
        assertThat(new Punctuality(times, EVENLY, 5).reached()).isEqualTo(1);
        assertThat(new Punctuality(times, EVENLY, 5).worstWindow()).isLessThanOrEqualTo(1);
    }

    @Test
    @DisplayName("groups that go together are on time together")
    void groups() {
        long[] times = LongStream.range(0, 100).map(i -> i / 2 * 10 * MILLI).toArray();
        Punctuality punctuality = new Punctuality(times, IN_WINDOWS, 0);
        assertThat(punctuality.reached()).isCloseTo(1, within(1e-9));
        assertThat(punctuality.worstWindow()).isEqualTo(1);
        assertThat(punctuality.afterPermitted()).containsOnly(0);
    }

    @Test
    @DisplayName("too little to judge by is no result")
    void tooLittle() {
        assertThatThrownBy(() -> new Punctuality(new long[] {1, 2}, EVENLY, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("a percentile is one of the values, in microseconds")
    void percentiles() {
        long[] nanos = LongStream.rangeClosed(0, 100).map(i -> i * 1_000).toArray();
        assertThat(Punctuality.percentile(nanos, 50)).isEqualTo(50);
        assertThat(Punctuality.percentile(nanos, 99)).isEqualTo(99);
        assertThat(Punctuality.percentile(nanos, 100)).isEqualTo(100);
    }

    private static long[] every(long nanos) {
        return LongStream.range(0, 100).map(i -> Long.MAX_VALUE - 7 + i * nanos).toArray();
    }
}
