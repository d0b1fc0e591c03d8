package dev.weir.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/** What all threads have used that run Java. The compiler is busy for other reasons: because the machine has just begun. */
public final class ProcessorTime {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private ProcessorTime() {}

    /** The processor time of all such threads so far. */
    public static long nanos() {
        return Arrays.stream(THREADS.getAllThreadIds())
                .map(THREADS::getThreadCpuTime)
                .filter(nanos -> nanos > 0)
                .sum();
    }
}
