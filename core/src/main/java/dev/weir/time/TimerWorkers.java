package dev.weir.time;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs what the timer finds due: on few threads, as nearly all such tasks are short, and on one more thread whenever no
 * task could begin for a while, as tasks that block must delay no other.
 *
 * <p>A pool that started a thread for every task that finds none idle would answer ten thousand timers due at one
 * instant with ten thousand threads. Here a thread is added only while the queue stands still, and those that were added
 * end as soon as nothing is queued: idle threads take turns, so under steady work none of them would ever be idle for long.
 */
final class TimerWorkers extends ThreadPoolExecutor {

    private static final int FEW = Math.max(2, Runtime.getRuntime().availableProcessors());
    private static final long KEEP_ALIVE_SECONDS = 10;
    private static final long PATIENCE_NANOS = 1_000_000;

    private final TimerThread timer;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicBoolean watching = new AtomicBoolean();

    TimerWorkers(TimerThread timer) {
        super(
                FEW,
                FEW,
                KEEP_ALIVE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.named("weir-worker-"));
        this.timer = timer;
        allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        super.execute(task);
        if (!getQueue().isEmpty() && watching.compareAndSet(false, true)) {
            watch();
        }
    }

    @Override
    protected void beforeExecute(Thread thread, Runnable task) {
        begun.incrementAndGet();
    }

    private void watch() {
        long begunSoFar = begun.get();
        TimeSource.Cancellable unused = timer.schedule(() -> growIfStill(begunSoFar), PATIENCE_NANOS);
    }

    /** Runs on the timer thread. */
    private void growIfStill(long begunBefore) {
        if (getQueue().isEmpty()) {
            limitTo(FEW);
            watching.set(false);
            // A task may have been queued after the look at the queue and have found somebody watching.
            if (getQueue().isEmpty() || !watching.compareAndSet(false, true)) {
                return;
            }
        } else if (begun.get() == begunBefore) {
            // Starts a thread, since tasks are queued.
            limitTo(Math.max(getPoolSize(), getCorePoolSize()) + 1);
        }
        watch();
    }

    /** Threads above the limit end, the idle ones at once. */
    private void limitTo(int threads) {
        if (threads > getMaximumPoolSize()) {
            setMaximumPoolSize(threads);
            setCorePoolSize(threads);
        } else {
            setCorePoolSize(threads);
            setMaximumPoolSize(threads);
        }
    }
}
