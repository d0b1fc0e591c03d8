package dev.weir.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/** How much of the heap is in use. */
public final class LiveHeap {

    private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();

    private LiveHeap() {}

    /** Returns the bytes of all that can be reached; exact with a collector that collects everything when asked to. */
    public static long bytes() {
        // What the first collection finds unreachable may have others behind it.
        System.gc();
        // So that reading allocates nothing the first time that it does not allocate later.
        MEMORY.getHeapMemoryUsage();
        System.gc();
        return MEMORY.getHeapMemoryUsage().getUsed();
    }
}
