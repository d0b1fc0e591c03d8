package dev.weir.samples;

import dev.weir.testkit.EmissionTimes;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Counts events in intervals. */
public final class Intervals {

    private Intervals() {}

    /**
     * Returns the largest number of events in any interval of the given length, wherever it begins. An interval does not contain
     * its own end: of two events exactly {@code length} apart it contains one.
     *
     * @param nanos the times of the events, in any order, all on one clock
     * @param length of the interval
     * @return the largest count
     */
    public static int mostInAny(LongStream nanos, Duration length) {
        return EmissionTimes.of(nanos.toArray()).mostIn(length);
    }

    /**
     * Returns the shortest time from the first to the last of {@code events} events in a row.
     *
     * @param nanos the times of the events, in any order, all on one clock
     * @param events how many, at least 1
     * @return the time; empty if there were fewer
     */
    public static Optional<Duration> closest(LongStream nanos, long events) {
        long[] times = nanos.toArray();
        if (times.length < events) {
            return Optional.empty();
        }
        long[] offsets = offsets(times);
        int further = (int) events - 1;
        return IntStream.range(further, offsets.length)
                .mapToObj(last -> Duration.ofNanos(offsets[last] - offsets[last - further]))
                .min(Duration::compareTo);
    }

    /** Returns the times in order, as offsets from one of them: a clock may wrap, so that only differences are meaningful. */
    private static long[] offsets(long[] times) {
        return LongStream.of(times).map(time -> time - times[0]).sorted().toArray();
    }
}
