package dev.weir.proof.soak;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;

/**
 * What the JVM holds at one moment.
 *
 * @param heap bytes that are alive: what a full collection left
 * @param timers tasks that wait for their time
 * @param threads live threads
 */
record Sample(long heap, long timers, long threads) {

    static Sample take(long timers) {
        System.gc();
        long heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null)
                .map(MemoryPoolMXBean::getCollectionUsage)
                .mapToLong(usage -> usage.getUsed())
                .sum();
        return new Sample(heap, timers, ManagementFactory.getThreadMXBean().getThreadCount());
    }
}
