package dev.weir.benchmarks.shaping;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/** When elements passed, after a while in which all comes to its usual speed, and what that cost the process. */
final class Timeline implements BooleanSupplier {

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
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
    }

    /** Tells of an element that passes. Answers whether there shall be more. */
    @Override
    public boolean getAsBoolean() {
        long now = System.nanoTime();
        if (now - from < 0) {
            return true;
        }
        if (count == 0) {
            cpuBefore = system.getProcessCpuTime();
        }
        if (now - until < 0 && count < times.length) {
            times[count++] = now;
            return true;
        }
        cpuAfter = system.getProcessCpuTime();
        return false;
    }

    long[] times() {
        return Arrays.copyOf(times, count);
    }

    /** How much of one processor the process used. */
    double cpuShare() {
        return count < 2 ? 0 : (double) (cpuAfter - cpuBefore) / (times[count - 1] - times[0]);
    }
}
