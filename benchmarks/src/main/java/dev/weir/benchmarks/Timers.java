package dev.weir.benchmarks;

import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Timers for libraries that bring none. */
public final class Timers {

    private Timers() {}

    /** Returns a timer of one thread that drops what is cancelled. */
    public static ScheduledThreadPoolExecutor daemon() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }
}
