package dev.weir.time;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs what is due: on few threads, as nearly all such tasks are short, and on one more thread whenever no task could begin for
 * a while, as tasks that block must delay no other. Who brings a task waits for nobody, not even for a lock, as event loops do.
 *
 * <p>A worker that finds nothing to do lies down on a stack (R. K. Treiber, IBM RJ 5118, 1986), and who brings a task wakes the
 * one on top: who worked last works next, and those further down, who are not needed, end after a while.
 *
 * <pre>
 *   who brings a task:    queue it                then look who rests      wakes one, or starts one if there are few
 *   a worker that rests:  lie down                then look for tasks      sleeps only if there are none
 *   a worker that ends:   be counted no more      then look for tasks      ends only if there are none, or others come
 * </pre>
 *
 * <p>All of these are volatile, so whoever looks second sees what the other has written (T. J. Dekker's algorithm), and no task is
 * left while a worker sleeps. Every call brings one more look at the queue, so a task for which somebody could be called is
 * waiting for that worker at most to wake. Only one that found all busy may wait behind those that block, and is watched over.
 *
 * <p>A pool that started a thread for every task that finds none idle would answer ten thousand timers due at one instant with
 * ten thousand threads. Here a thread is added only while the queue stands still, and ends as soon as it finds nothing to do.
 */
final class TimerWorkers {

    static final int FEW = Math.max(2, Runtime.getRuntime().availableProcessors());

    private static final long PATIENCE_NANOS = 1_000_000;

    private final TimerThread timer;
    private final LongSupplier clock;
    private final ThreadFactory threads;
    private final long keepAliveNanos;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Rest> resting = new AtomicReference<>();

    /** How many threads there are. */
    private final AtomicInteger size = new AtomicInteger();

    private final AtomicLong begun = new AtomicLong();
    private final AtomicBoolean watching = new AtomicBoolean();

    /** Makes workers, each of whom ends when there has been nothing to do for it for so long. */
    TimerWorkers(TimerThread timer, LongSupplier clock, ThreadFactory threads, long keepAliveNanos) {
        this.timer = timer;
        this.clock = clock;
        this.threads = threads;
        this.keepAliveNanos = keepAliveNanos;
    }

    /**
     * Has a task run soon, on another thread, where it may block.
     *
     * @throws Error if there would have to be a thread and can be none; then the task is not run
     */
    void execute(Runnable task) {
        tasks.add(task);
        try {
            if (!call() && watching.compareAndSet(false, true)) {
                watch();
            }
        } catch (Error noThread) {
            if (tasks.remove(task)) {
                throw noThread;
            }
        }
    }

    /** Has somebody look at the tasks once more than without this call. Tells whether there is anybody; if not, all are busy. */
    private boolean call() {
        for (Rest top = resting.get(); top != null; top = resting.get()) {
            if (resting.compareAndSet(top, top.below) && top.end()) {
                LockSupport.unpark(top.worker);
                return true;
            }
        }
        for (int few = size.get(); few < FEW; few = size.get()) {
            if (size.compareAndSet(few, few + 1)) {
                start();
                return true;
            }
        }
        return false;
    }

    /** Starts a thread, which is counted already. */
    private void start() {
        boolean started = false;
        try {
            threads.newThread(this::work).start();
            started = true;
        } finally {
            if (!started) {
                size.decrementAndGet();
            }
        }
    }

    private void work() {
        try {
            do {
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    begun.incrementAndGet();
                    DaemonThreads.run(task);
                    boolean unused = Thread.interrupted(); // which is no business of the next
                }
            } while (rest());
        } finally {
            size.decrementAndGet();
            if (!tasks.isEmpty()) {
                boolean unused = call(); // for who found this thread counted
            }
        }
    }

    /** Returns when there may be something to do; false if there has been nothing for long, or others are enough for it. */
    private boolean rest() {
        if (size.get() > FEW) {
            return false;
        }
        Rest rest = new Rest(Thread.currentThread());
        do {
            rest.below = resting.get();
        } while (!resting.compareAndSet(rest.below, rest));
        if (!tasks.isEmpty()) {
            boolean unused = call(); // for who found nobody at rest: perhaps this thread
        }
        long began = clock.getAsLong();
        for (long left = keepAliveNanos; !rest.hasEnded(); left = began + keepAliveNanos - clock.getAsLong()) {
            if (left <= 0) {
                return !rest.end();
            }
            boolean unused = Thread.interrupted(); // or it would not sleep
            LockSupport.parkNanos(this, left);
        }
        return true;
    }

    private void watch() {
        long begunSoFar = begun.get();
        boolean isWatched = false;
        try {
            TimeSource.Cancellable unused = timer.schedule(() -> growIfStill(begunSoFar), PATIENCE_NANOS);
            isWatched = true;
        } finally {
            if (!isWatched) {
                watching.set(false);
            }
        }
    }

    /** Runs on the timer thread. */
    private void growIfStill(long begunBefore) {
        try {
            if (!tasks.isEmpty() && begun.get() == begunBefore) {
                size.incrementAndGet();
                start();
            }
        } finally {
            watchOn();
        }
    }

    private void watchOn() {
        if (tasks.isEmpty()) {
            watching.set(false);
            // A task may have been queued after the look at the queue and have found somebody watching.
            if (tasks.isEmpty() || !watching.compareAndSet(false, true)) {
                return;
            }
        }
        watch();
    }

    /** How many threads there are. */
    int size() {
        return size.get();
    }

    /** A worker that has found nothing to do, until it is called or has had enough of it: whichever comes first. */
    private static final class Rest {

        private final Thread worker;
        private final AtomicBoolean ended = new AtomicBoolean();

        /** Link of the stack. */
        private @Nullable Rest below;

        Rest(Thread worker) {
            this.worker = worker;
        }

        /** Tells whether this call ended it. */
        boolean end() {
            return ended.compareAndSet(false, true);
        }

        boolean hasEnded() {
            return ended.get();
        }
    }
}
