package dev.weir.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/** How the cost of a unit of work changes from a little work to a thousand times as much. */
public final class Growth {

    public static final List<Integer> TIMES = List.of(1, 10, 100, 1_000);
    public static final int MOST_TIMES = 1_000;

    /** All amounts are done so often, or as often as it takes to do the largest once, whatever is more. */
    private static final int LEAST_REPETITIONS = 5;

    private final IntConsumer work;

    public Growth(IntConsumer work) {
        this.work = work;
    }

    /** Returns the nanoseconds for each unit, by the amount of work. The largest is done first, so that all is compiled. */
    public Map<String, Double> measure(int least) {
        work.accept(Math.multiplyExact(least, MOST_TIMES));
        Figures figures = new Figures();
        for (int times : TIMES) {
            int amount = Math.multiplyExact(least, times);
            figures.put(Integer.toString(amount), nanos(amount, Math.max(LEAST_REPETITIONS, MOST_TIMES / times)));
        }
        return figures.all();
    }

    private double nanos(int amount, int repetitions) {
        long[] nanos = new long[repetitions];
        for (int i = 0; i < repetitions; i++) {
            long began = System.nanoTime();
            work.accept(amount);
            nanos[i] = System.nanoTime() - began;
        }
        Arrays.sort(nanos);
        return (double) nanos[repetitions / 2] / amount;
    }
}
