package dev.weir.time;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The worker threads of the timer: run due tasks on few threads, as nearly all such tasks are short, and on one more thread
 * whenever a task could not begin for a while, as blocking tasks must not delay others. Submitting a task is lock-free, as event
 * loops do so.
 *
 * <p>A pool that started a thread whenever it finds none idle would react to ten thousand timers due at one instant with ten
 * thousand threads. So tasks have a queue of their own, and the pool is only told to look at this queue:
 *
 * <pre>
 *   the submitter:        queue the task            then wake an idle worker, unless one is looking or on its way
 *   a worker, woken:      be counted as looking     run what is queued, and while there is more wake a few others
 *                         be no longer counted      look once more, and become idle
 * </pre>
 *
 * <p>All of these accesses are volatile, so if a worker was seen looking, or on its way, that worker sees the task (T. J.
 * Dekker's algorithm). Waking a thread takes longer than most tasks do, so tasks that arrive while others run are left to the
 * running workers, as long as one of these has begun a task a moment ago. If that task blocks, the periodic check of the queue
 * ({@code watch}) wakes another worker. If no worker was seen, the workers are about to become idle, or there are none: then the
 * timer thread continues waking, and starts a worker if there are few. No other thread starts workers, as that takes the lock of
 * the pool.
 *
 * <p>The worker that became idle last is woken first, so workers that are not needed end after a while, even under steady load.
 */
final class TimerWorkers {

    static final int FEW = Math.max(2, Runtime.getRuntime().availableProcessors());

    /** More threads than this start only if no task can begin at all: if all make progress, further threads would not help. */
    private static final int MANY = 10 * FEW;

    private static final long PATIENCE_NANOS = 1_000_000;

    /** A task that began less than this ago will most likely end before another thread could be awake. */
    private static final long MOMENT_NANOS = 50_000;

    private final TimerThread timer;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final SynchronousQueue<Runnable> wakeUps = new SynchronousQueue<>();
    private final Runnable look = this::comeAndRunTasks;
    private final ThreadPoolExecutor threads;
    private final AtomicInteger onTheirWay = new AtomicInteger();
    private final AtomicInteger looking = new AtomicInteger();
    private final AtomicLong submitted = new AtomicLong();
    private final AtomicLong begun = new AtomicLong();
    private final AtomicBoolean watching = new AtomicBoolean();

    /** When a task last began. */
    private volatile long begunNanos;

    /** Creates workers, each of which ends after it has been idle for {@code keepAliveNanos}. */
    TimerWorkers(TimerThread timer, ThreadFactory threads, long keepAliveNanos) {
        this.timer = timer;
        this.threads =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, keepAliveNanos, TimeUnit.NANOSECONDS, wakeUps, threads);
    }

    /**
     * Schedules a task to run soon on another thread, where it may block.
     *
     * @throws Error if a thread is needed and cannot be created; then the task is not run
     */
    void execute(Runnable task) {
        tasks.add(task);
        submitted.incrementAndGet();
        try {
            wakeIfNeeded();
        } catch (Throwable noThread) {
            if (tasks.remove(task)) {
                submitted.decrementAndGet();
                throw noThread;
            }
        }
    }

    private void wakeIfNeeded() {
        if (isServed()) {
            watch();
        } else if (!wakeOne()) {
            watchOrContinue();
        }
    }

    /** Returns whether a worker is on its way to the queue, or will most likely soon be back there. */
    private boolean isServed() {
        return onTheirWay.get() > 0 || (looking.get() > 0 && timer.now() - begunNanos < MOMENT_NANOS);
    }

    /** Wakes an idle worker. Returns whether there was one. */
    private boolean wakeOne() {
        onTheirWay.incrementAndGet();
        boolean isOnTheWay = false;
        try {
            isOnTheWay = wakeUps.offer(look);
        } finally {
            if (!isOnTheWay) {
                onTheirWay.decrementAndGet();
            }
        }
        return isOnTheWay;
    }

    private void watchOrContinue() {
        if (looking.get() > 0) {
            watch();
        } else {
            continueOnTimerThread();
        }
    }

    private void comeAndRunTasks() {
        looking.incrementAndGet();
        onTheirWay.decrementAndGet();
        runTasks();
        while (!tasks.isEmpty()) {
            looking.incrementAndGet();
            runTasks();
        }
    }

    private void runTasks() {
        try {
            do {
                wakeFurther();
            } while (runNext());
        } finally {
            looking.decrementAndGet();
        }
    }

    /** Wakes one more worker if there is more than one task; that worker does the same. */
    private void wakeFurther() {
        if (submitted.get() - begun.get() > 1 && looking.get() < FEW && onTheirWay.get() == 0) {
            try {
                boolean unused = wakeOne(); // if no worker is idle, the watch handles it
            } catch (Throwable noMemory) {
                // this worker will still look at the queue
            }
        }
    }

    /** Runs the next task. Returns whether there was one. */
    private boolean runNext() {
        Runnable task = tasks.poll();
        if (task == null) {
            return false;
        }
        begun.incrementAndGet();
        begunNanos = timer.now();
        DaemonThreads.run(task);
        boolean unused = Thread.interrupted(); // the interrupt must not affect the next task
        return true;
    }

    private void continueOnTimerThread() {
        TimeSource.Cancellable unused = timer.schedule(this::wakeOnTimerThread, 0);
    }

    /** Runs on the timer thread. */
    private void wakeOnTimerThread() {
        if (tasks.isEmpty() || wakeOne()) {
            return;
        }
        if (looking.get() == 0 && size() < FEW) {
            wakeOrStart();
        } else {
            watchOrContinue();
        }
    }

    /** Runs on the timer thread. */
    private void wakeOrStart() {
        onTheirWay.incrementAndGet();
        try {
            threads.execute(look);
        } catch (Throwable noThread) {
            onTheirWay.decrementAndGet();
            if (size() == 0) {
                boolean unused = runNext(); // late is better than never
            }
            continueOnTimerThread();
        }
    }

    private void watch() {
        if (watching.compareAndSet(false, true)) {
            watchOn();
        }
    }

    private void watchOn() {
        long submittedSoFar = submitted.get();
        long begunSoFar = begun.get();
        try {
            TimeSource.Cancellable unused = timer.schedule(() -> lookAfter(submittedSoFar, begunSoFar), PATIENCE_NANOS);
        } catch (Throwable noTimer) {
            watching.set(false);
            throw noTimer;
        }
    }

    /** Runs on the timer thread. */
    private void lookAfter(long submittedBefore, long begunBefore) {
        long begunNow = begun.get();
        boolean isStuck = begunNow == begunBefore;
        boolean isOverdue = !tasks.isEmpty() && (isStuck || begunNow < submittedBefore);
        if (tasks.isEmpty()) {
            watching.set(false);
            // A task may have been queued after the check of the queue, by a thread that found the watch active.
            if (tasks.isEmpty() || !watching.compareAndSet(false, true)) {
                return;
            }
        }
        try {
            if (isOverdue && !wakeOne() && (isStuck || size() < MANY)) {
                wakeOrStart();
            }
        } finally {
            watchOn();
        }
    }

    /** Returns the number of threads. */
    int size() {
        return threads.getPoolSize();
    }
}
