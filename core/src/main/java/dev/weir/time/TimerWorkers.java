package dev.weir.time;

import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs what is due: on few threads, as nearly all such tasks are short, and on one more thread whenever no task could begin for
 * a while, as tasks that block must delay no other.
 *
 * <p>A pool that started a thread for every task that finds none idle would answer ten thousand timers due at one
 * instant with ten thousand threads. Here a thread is added only while the queue stands still, and those that were added
 * end as soon as nothing is queued: idle threads take turns, so under steady work none of them would ever be idle for long.
 *
 * <p>To start and to end threads takes the lock of the pool, so the timer's thread alone has any started. To the few, which do not
 * end, anybody may hand a task: their queue has no lock.
 */
final class TimerWorkers extends ThreadPoolExecutor {

    static final int FEW = Math.max(2, Runtime.getRuntime().availableProcessors());

    private static final long PATIENCE_NANOS = 1_000_000;

    private final TimerThread timer;
    private final LinkedTransferQueue<Runnable> tasks;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicBoolean watching = new AtomicBoolean();

    /** Whether the few have been started. */
    private volatile boolean areThere;

    TimerWorkers(TimerThread timer, ThreadFactory threads) {
        this(timer, threads, new LinkedTransferQueue<>());
    }

    private TimerWorkers(TimerThread timer, ThreadFactory threads, LinkedTransferQueue<Runnable> tasks) {
        super(FEW, FEW, 0, TimeUnit.SECONDS, tasks, threads);
        this.timer = timer;
        this.tasks = tasks;
    }

    /** Has a task run soon. Runs on the timer's thread. */
    @Override
    public void execute(Runnable task) {
        if (!areThere) {
            prestartAllCoreThreads();
            areThere = true;
        }
        boolean unused = begin(task);
    }

    /** The same on any thread, which waits for nobody. Tells whether there are workers; if not, nothing has been done. */
    boolean begin(Runnable task) {
        if (!areThere) {
            return false;
        }
        Runnable guarded = () -> DaemonThreads.run(task);
        if (!tasks.tryTransfer(guarded)) {
            tasks.add(guarded);
            if (watching.compareAndSet(false, true)) {
                watch();
            }
        }
        return true;
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
        if (tasks.isEmpty()) {
            limitTo(FEW);
            watching.set(false);
            // A task may have been queued after the look at the queue and have found somebody watching.
            if (tasks.isEmpty() || !watching.compareAndSet(false, true)) {
                return;
            }
        } else if (begun.get() == begunBefore) {
            growByOne();
        }
        watch();
    }

    private void growByOne() {
        try {
            // Starts a thread, since tasks are queued.
            limitTo(Math.max(getPoolSize(), getCorePoolSize()) + 1);
        } catch (OutOfMemoryError noThread) {
            limitTo(FEW); // as those there are may still end what they do
        }
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
