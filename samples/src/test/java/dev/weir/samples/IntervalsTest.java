package dev.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class IntervalsTest {

    private static final Duration TEN = Duration.ofNanos(10);

    @Test
    void anIntervalDoesNotContainItsOwnEnd() {
        assertThat(Intervals.mostInAny(LongStream.of(0, 10, 20), TEN)).isEqualTo(1);
        assertThat(Intervals.mostInAny(LongStream.of(0, 9, 18), TEN)).isEqualTo(2);
        assertThat(Intervals.mostInAny(LongStream.empty(), TEN)).isZero();
    }

    @Test
    void theClosestAreThoseThatTookTheShortestTime() {
        assertThat(Intervals.closest(LongStream.of(30, 0, 12, 10), 2)).contains(Duration.ofNanos(2));
        assertThat(Intervals.closest(LongStream.of(30, 0, 12, 10), 3)).contains(Duration.ofNanos(12));
        assertThat(Intervals.closest(LongStream.of(5), 1)).contains(Duration.ZERO);
        assertThat(Intervals.closest(LongStream.of(0, 10), 3)).isEmpty();
        assertThat(Intervals.closest(LongStream.of(Long.MIN_VALUE, Long.MAX_VALUE), 2))
                .contains(Duration.ofNanos(1));
    }

    @RepeatedTest(20)
    void countsAsOneDoesByLookingAtEveryInterval(RepetitionInfo repetition) {
        long seed = repetition.getCurrentRepetition();
        Random random = new Random(seed);
        long origin = random.nextBoolean() ? Long.MAX_VALUE - 50 : random.nextLong();
        long[] offsets = random.longs(random.nextInt(30), 0, 100).toArray();

        int expected = 0;
        for (long from = 0; from < 100; from++) {
            long begin = from;
            long count = LongStream.of(offsets)
                    .filter(time -> begin <= time && time < begin + 10)
                    .count();
            expected = Math.max(expected, (int) count);
        }

        assertThat(Intervals.mostInAny(LongStream.of(offsets).map(offset -> origin + offset), TEN))
                .as("seed %d", seed)
                .isEqualTo(expected);
    }
}
