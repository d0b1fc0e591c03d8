package dev.weir.samples;

import java.time.Duration;
import java.util.stream.LongStream;

/** Counts events by the interval. */
public final class Intervals {

    private Intervals() {}

    /**
     * Returns the most events in any interval of a length, wherever it begins. An interval does not contain its own end: of
     * two events that are exactly so far apart it has one.
     *
     * @param nanos when the events were, in any order, all on one clock
     * @param length of the interval
     * @return the largest count
     */
    public static int mostInAny(LongStream nanos, Duration length) {
        long lengthNanos = length.toNanos();
        long[] times = nanos.toArray();
        if (times.length == 0) {
            return 0;
        }
        // As offsets from one of them: a clock may wrap, and only differences mean anything.
        long[] offsets =
                LongStream.of(times).map(time -> time - times[0]).sorted().toArray();
        int most = 0;
        int first = 0;
        for (int last = 0; last < offsets.length; last++) {
            while (offsets[last] - offsets[first] >= lengthNanos) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }
}
