package dev.weir.time;

import java.util.Objects;

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
        return delayNanos > 0 ? Threads.TIMER.schedule(() -> Threads.handOver(task), delayNanos) : Threads.begin(task);
    }

    /** Started by the first task that is scheduled. */
    private static final class Threads {

        static final TimerThread TIMER = new TimerThread(System::nanoTime, DaemonThreads.named("weir-timer-"));
        static final TimerWorkers WORKERS = new TimerWorkers(TIMER, DaemonThreads.named("weir-worker-"));

        /** Runs on any thread. */
        static Cancellable begin(Runnable task) {
            Immediate once = new Immediate(task);
            return WORKERS.begin(once) ? once : TIMER.schedule(() -> handOver(task), 0);
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
