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
 * Runs what is due: on few threads, as nearly all such tasks are short, and on one more thread whenever a task could not begin
 * for a while, as tasks that block must delay no other. Who brings a task waits for nobody, not even for a lock, as event loops do.
 *
 * <p>A pool that started a thread for every task that finds none idle would answer ten thousand timers due at one instant with
 * ten thousand threads. So tasks stand in a queue of their own, and what the pool gets are calls to look at it:
 *
 * <pre>
 *   who brings a task:    queue it                  then call a worker that rests, unless one is there or on its way
 *   a worker, called:     be counted as looking     run what is queued, and while there is more have a few others called
 *                         be counted no more        look once more, and rest
 * </pre>
 *
 * <p>All of these are volatile, so where somebody was seen looking, or on the way, that one sees the task (T. J. Dekker's
 * algorithm). To wake a thread takes longer than most tasks do, so tasks that come while others run are left to those who run them,
 * as long as one has begun a moment ago. If that one blocks, the watch of the queue calls another. Where nobody was seen, the
 * workers are on their way to rest, or there are none: the timer's thread goes on calling, and starts one if there are few. Nobody
 * else starts threads, as to do so takes the lock of the pool.
 *
 * <p>Who rests last is called first, so those that are not needed end after a while, even under steady work.
 */
final class TimerWorkers {

    static final int FEW = Math.max(2, Runtime.getRuntime().availableProcessors());

    /** More than this only where nothing can begin at all: where all are at work, further ones would not make it any faster. */
    private static final int MANY = 10 * FEW;

    private static final long PATIENCE_NANOS = 1_000_000;

    /** A task that began so recently will most likely end sooner than another thread could be awake. */
    private static final long MOMENT_NANOS = 50_000;

    private final TimerThread timer;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final SynchronousQueue<Runnable> calls = new SynchronousQueue<>();
    private final Runnable look = this::comeAndRunTasks;
    private final ThreadPoolExecutor threads;
    private final AtomicInteger called = new AtomicInteger();
    private final AtomicInteger looking = new AtomicInteger();
    private final AtomicLong brought = new AtomicLong();
    private final AtomicLong begun = new AtomicLong();
    private final AtomicBoolean watching = new AtomicBoolean();

    /** When a task last began. */
    private volatile long begunNanos;

    /** Makes workers, each of whom ends when nobody has called it for so long. */
    TimerWorkers(TimerThread timer, ThreadFactory threads, long keepAliveNanos) {
        this.timer = timer;
        this.threads =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, keepAliveNanos, TimeUnit.NANOSECONDS, calls, threads);
    }

    /**
     * Has a task run soon, on another thread, where it may block.
     *
     * @throws Error if there would have to be a thread and can be none; then the task is not run
     */
    void execute(Runnable task) {
        tasks.add(task);
        brought.incrementAndGet();
        try {
            callFor();
        } catch (RuntimeException | Error noThread) {
            if (tasks.remove(task)) {
                brought.decrementAndGet();
                throw noThread;
            }
        }
    }

    private void callFor() {
        if (isServed()) {
            watch();
        } else if (!callOne()) {
            watchOrGoOnCalling();
        }
    }

    /** Tells whether somebody is on the way to the queue, or will most likely soon be back there. */
    private boolean isServed() {
        return called.get() > 0 || (looking.get() > 0 && timer.now() - begunNanos < MOMENT_NANOS);
    }

    /** Calls one that rests. Tells whether there was any. */
    private boolean callOne() {
        called.incrementAndGet();
        boolean isOnTheWay = false;
        try {
            isOnTheWay = calls.offer(look);
        } finally {
            if (!isOnTheWay) {
                called.decrementAndGet();
            }
        }
        return isOnTheWay;
    }

    private void watchOrGoOnCalling() {
        if (looking.get() > 0) {
            watch();
        } else {
            goOnCalling();
        }
    }

    private void comeAndRunTasks() {
        looking.incrementAndGet();
        called.decrementAndGet();
        runTasks();
        while (!tasks.isEmpty()) {
            looking.incrementAndGet();
            runTasks();
        }
    }

    private void runTasks() {
        try {
            do {
                callFurther();
            } while (runNext());
        } finally {
            looking.decrementAndGet();
        }
    }

    /** Where there is more than one task, one more may help; who comes does the same. */
    private void callFurther() {
        if (brought.get() - begun.get() > 1 && looking.get() < FEW && called.get() == 0) {
            try {
                boolean unused = callOne(); // if nobody rests, the watch sees to it
            } catch (RuntimeException | Error noMemory) {
                // this one is here, and has yet to look
            }
        }
    }

    /** Tells whether there was a task. */
    private boolean runNext() {
        Runnable task = tasks.poll();
        if (task == null) {
            return false;
        }
        begun.incrementAndGet();
        begunNanos = timer.now();
        DaemonThreads.run(task);
        boolean unused = Thread.interrupted(); // which is no business of the next
        return true;
    }

    private void goOnCalling() {
        TimeSource.Cancellable unused = timer.schedule(this::call, 0);
    }

    /** Runs on the timer's thread. */
    private void call() {
        if (tasks.isEmpty() || callOne()) {
            return;
        }
        if (looking.get() == 0 && size() < FEW) {
            callOrStart();
        } else {
            watchOrGoOnCalling();
        }
    }

    /** Runs on the timer's thread. */
    private void callOrStart() {
        called.incrementAndGet();
        try {
            threads.execute(look);
        } catch (RuntimeException | Error noThread) {
            called.decrementAndGet();
            if (size() == 0) {
                boolean unused = runNext(); // late is better than never
            }
            goOnCalling();
        }
    }

    private void watch() {
        if (watching.compareAndSet(false, true)) {
            watchOn();
        }
    }

    private void watchOn() {
        long broughtSoFar = brought.get();
        long begunSoFar = begun.get();
        try {
            TimeSource.Cancellable unused = timer.schedule(() -> lookAfter(broughtSoFar, begunSoFar), PATIENCE_NANOS);
        } catch (RuntimeException | Error noTimer) {
            watching.set(false);
            throw noTimer;
        }
    }

    /** Runs on the timer's thread. */
    private void lookAfter(long broughtBefore, long begunBefore) {
        long begunNow = begun.get();
        boolean isStuck = begunNow == begunBefore;
        boolean isOverdue = !tasks.isEmpty() && (isStuck || begunNow < broughtBefore);
        if (tasks.isEmpty()) {
            watching.set(false);
            // A task may have been queued after the look at the queue and have found somebody watching.
            if (tasks.isEmpty() || !watching.compareAndSet(false, true)) {
                return;
            }
        }
        try {
            if (isOverdue && !callOne() && (isStuck || size() < MANY)) {
                callOrStart();
            }
        } finally {
            watchOn();
        }
    }

    /** How many threads there are. */
    int size() {
        return threads.getPoolSize();
    }
}
