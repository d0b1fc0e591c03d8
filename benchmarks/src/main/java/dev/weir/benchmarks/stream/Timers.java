package dev.weir.benchmarks.stream;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Timers for libraries that bring none. */
final class Timers {

    private Timers() {}

    static ScheduledExecutorService daemon() {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "timer");
            thread.setDaemon(true);
            return thread;
        });
    }
}
