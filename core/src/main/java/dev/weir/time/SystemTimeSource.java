package dev.weir.time;

import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The time of this machine. The only reader of {@link System#nanoTime()}. */
final class SystemTimeSource implements TimeSource {

    static final TimeSource INSTANCE = new SystemTimeSource();

    private SystemTimeSource() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        Objects.requireNonNull(task, "task");
        Future<?> pending =
                Threads.TIMER.schedule(() -> Threads.WORKERS.execute(task), delayNanos, TimeUnit.NANOSECONDS);
        return () -> pending.cancel(false);
    }

    /** Loaded, and so started, by the first task that is scheduled. */
    private static final class Threads {

        static final ScheduledThreadPoolExecutor TIMER = timer();
        static final TimerWorkers WORKERS = new TimerWorkers(TIMER);

        private static ScheduledThreadPoolExecutor timer() {
            ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("weir-timer-"));
            timer.setRemoveOnCancelPolicy(true);
            return timer;
        }
    }
}
