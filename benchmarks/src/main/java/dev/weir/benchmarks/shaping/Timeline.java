package dev.weir.benchmarks.shaping;

import dev.weir.benchmarks.ProcessorTime;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/** When elements passed, after a while in which all comes to its usual speed, and what that cost. */
final class Timeline implements BooleanSupplier {

    private final long from;
    private final long until;
    private final long[] times;
    private int count;
    private long cpuBefore;
    private long cpuAfter;

    Timeline(long warmupNanos, long nanos, int mostElements) {
        this.from = System.nanoTime() + warmupNanos;
        this.until = from + nanos;
        this.times = new long[mostElements];
        this.cpuBefore = ProcessorTime.nanos(); // the first time takes so long that it would be seen in the stream
    }

    /** Tells of an element that passes. Answers whether there shall be more. */
    @Override
    public boolean getAsBoolean() {
        long now = System.nanoTime();
        if (now - from < 0) {
            return true;
        }
        if (count == 0) {
            cpuBefore = ProcessorTime.nanos();
        }
        if (now - until < 0 && count < times.length) {
            times[count++] = now;
            return true;
        }
        cpuAfter = ProcessorTime.nanos();
        return false;
    }

    long[] times() {
        return Arrays.copyOf(times, count);
    }

    /** How much of one processor the threads used that run Java. */
    double cpuShare() {
        return count < 2 ? 0 : (double) (cpuAfter - cpuBefore) / (times[count - 1] - times[0]);
    }
}
