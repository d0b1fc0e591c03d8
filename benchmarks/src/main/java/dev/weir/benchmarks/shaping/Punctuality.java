package dev.weir.benchmarks.shaping;

import java.util.Arrays;

/** How the times at which elements passed compare with those at which they should have. */
final class Punctuality {

    private final long[] times;
    private final Rate rate;
    private final int slack;

    Punctuality(long[] times, Rate rate, int slack) {
        this.times = times;
        this.rate = rate;
        this.slack = slack;
        if (times.length <= 2 * rate.step()) {
            throw new IllegalArgumentException("only " + times.length + " elements passed");
        }
    }

    /** The part of the limit that was used: the time that so many elements should take by the time that they took. */
    double reached() {
        int last = times.length - 1;
        int first = last % rate.step();
        return (double) schedule(last) / (times[last] - times[first]);
    }

    /** The most elements in any window of 10 ms, by what the limit admits in one. */
    double worstWindow() {
        int most = 0;
        int first = 0;
        for (int last = 0; last < times.length; last++) {
            while (times[last] - times[first] >= Rate.WINDOW.toNanos()) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return (double) most / (rate.perWindow() + slack);
    }

    /**
     * How late each element was against a schedule without drift, in ascending order. The schedule is laid such that the most
     * punctual element is on time.
     */
    long[] behindSchedule() {
        long[] late = new long[times.length];
        for (int i = 0; i < times.length; i++) {
            late[i] = times[i] - times[i % rate.step()] - schedule(i);
        }
        long best = Arrays.stream(late).min().orElse(0);
        return Arrays.stream(late).map(nanos -> nanos - best).sorted().toArray();
    }

    /** How long after the first instant that the limit left it, after those that really were before it, each went; ascending. */
    long[] afterPermitted() {
        long distance = rate.distance().toNanos();
        long[] late = new long[times.length - rate.step()];
        long arrival = times[0];
        for (int i = rate.step(); i < times.length; i++) {
            if (rate.isEven()) {
                arrival = Math.max(arrival, times[i - 1] - distance * slack) + distance;
            } else {
                arrival = times[i - rate.step()] + distance;
            }
            late[i - rate.step()] = Math.max(0, times[i] - arrival);
        }
        Arrays.sort(late);
        return late;
    }

    /** In microseconds. */
    static double percentile(long[] ascendingNanos, int percent) {
        return ascendingNanos[(int) ((ascendingNanos.length - 1L) * percent / 100)] / 1e3;
    }

    private long schedule(int element) {
        return element / rate.step() * rate.distance().toNanos();
    }
}
