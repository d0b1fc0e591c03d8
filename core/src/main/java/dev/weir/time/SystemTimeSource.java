package dev.weir.time;

import java.util.Objects;
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
        return delayNanos > 0
                ? Threads.TIMER.schedule(() -> Threads.handOver(task), delayNanos)
                : Threads.begin(new Immediate(task));
    }

    /** Started by the first task that is scheduled. */
    private static final class Threads {

        private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(10);

        static final TimerThread TIMER = new TimerThread(System::nanoTime, DaemonThreads.named("weir-timer-"));
        static final TimerWorkers WORKERS =
                new TimerWorkers(TIMER, System::nanoTime, DaemonThreads.named("weir-worker-"), KEEP_ALIVE_NANOS);

        /** Runs on any thread. */
        static Cancellable begin(Immediate task) {
            try {
                WORKERS.execute(task);
                return task;
            } catch (OutOfMemoryError noThread) {
                return TIMER.schedule(task, 0); // where it is late at worst
            }
        }

        /** Runs on the timer thread. */
        static void handOver(Runnable task) {
            try {
                WORKERS.execute(task);
            } catch (OutOfMemoryError noThread) {
                task.run(); // late is better than never
            }
        }
    }
}
