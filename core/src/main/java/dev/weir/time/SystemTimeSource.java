package dev.weir.time;

import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The system time source. The only caller of {@link System#nanoTime()}. */
final class SystemTimeSource implements TimeSource {

    static final TimeSource INSTANCE = new SystemTimeSource();

    private SystemTimeSource() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        OneShot shot = new OneShot(Objects.requireNonNull(task, "task"));
        if (delayNanos <= 0) {
            Threads.WORKERS.execute(shot);
            return shot;
        }
        TimerThread.HandOver handOver = () -> Threads.WORKERS.execute(shot);
        Cancellable alarm = Threads.TIMER.schedule(handOver, delayNanos);
        return () -> {
            shot.cancel(); // it may be on its way to a worker
            alarm.cancel();
        };
    }

    /** The threads, started by the first task that is scheduled. */
    static final class Threads {

        private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(10);

        static final TimerThread TIMER = new TimerThread(System::nanoTime, DaemonThreads.named("weir-timer-"));
        static final TimerWorkers WORKERS =
                new TimerWorkers(TIMER, DaemonThreads.named("weir-worker-"), KEEP_ALIVE_NANOS);
    }
}
