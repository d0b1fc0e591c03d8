package dev.weir.time;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread that runs short tasks when they are due. Who schedules and who cancels waits for nobody, not even for a lock, as
 * event loops do both.
 *
 * <p>What is pending is the thread's own. What is new is pushed on a stack (R. K. Treiber, IBM RJ 5118, 1986), all of which the
 * thread takes before it sleeps, and whoever pushed something that is due while the thread would sleep wakes it:
 *
 * <pre>
 *   who schedules:  push the alarm    then look at wakeAt    wakes the thread if the alarm is due before
 *   the thread:     write wakeAt      then look at the stack sleeps only if nothing is there
 * </pre>
 *
 * <p>All four are volatile, so whoever looks second sees what the other has written (T. J. Dekker's algorithm), and nothing that
 * is due is slept through.
 *
 * <p>An alarm that is cancelled lets go of its task at once. If it has a place among those that are pending, that stays until it
 * would have been due, or until half of all places are such, when they are cleared out together: at a constant cost for each.
 * This is not slept through either: who cancels counts the alarm, then looks how many places there are; the thread writes how
 * many there are, then looks at the count.
 */
final class TimerThread {

    /** Of a sleep and of a delay, 73 years: times that far apart can still be compared by subtraction. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    /** So many cancelled alarms are never worth the clearing. */
    private static final int FEW_CANCELLED = 64;

    private final LongSupplier clock;
    private final ThreadFactory threads;

    /** Null until it runs. */
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

    private final AtomicReference<@Nullable Alarm> arrivals = new AtomicReference<>();

    /** How many alarms that have been cancelled have not been let go. */
    private final AtomicInteger cancelled = new AtomicInteger();

    private volatile long wakeAt;

    /** How many alarms are pending, as of the thread's last look; some of them may have been cancelled. */
    private volatile int places;

    // The thread's own; if it ends, the next one's.
    private final PriorityQueue<Alarm> pending = new PriorityQueue<>(Alarm.EARLIEST_FIRST);
    private @Nullable Alarm taken;

    TimerThread(LongSupplier clock, ThreadFactory threads) {
        this.clock = clock;
        this.threads = threads;
    }

    /** The time that alarms are set by. */
    long now() {
        return clock.getAsLong();
    }

    /** Has the thread run a task, which must not block, after a delay; zero or less is at once. */
    Alarm schedule(Runnable task, long delayNanos) {
        Alarm alarm = new Alarm(task, now() + Math.max(0, Math.min(delayNanos, LONGEST_NANOS)));
        do {
            alarm.below = arrivals.get();
        } while (!arrivals.compareAndSet(alarm.below, alarm));
        Thread timer = thread.get();
        if (timer == null) {
            startFor(alarm);
        } else if (alarm.dueNanos - wakeAt < 0) {
            LockSupport.unpark(timer);
        }
        return alarm;
    }

    /** Several may start a thread: the first to run stays, and finds the alarms of all. */
    private void startFor(Alarm alarm) {
        try {
            threads.newThread(this::runAll).start();
        } catch (RuntimeException | Error noThread) {
            if (alarm.letGo()) {
                throw noThread;
            }
        }
    }

    private void runAll() {
        if (!thread.compareAndSet(null, Thread.currentThread())) {
            return;
        }
        try {
            while (true) {
                takeArrivals();
                runDue();
                clearCancelled();
                sleep();
            }
        } finally {
            thread.set(null); // out of memory: whoever schedules next starts another, which finds what is pending
        }
    }

    private void takeArrivals() {
        if (taken == null) {
            taken = arrivals.getAndSet(null);
        }
        for (Alarm alarm = taken; alarm != null; alarm = taken) {
            if (alarm.get() == null) {
                cancelled.decrementAndGet();
            } else {
                pending.add(alarm);
            }
            taken = alarm.below;
            alarm.below = null;
        }
    }

    private void runDue() {
        long now = now();
        for (Alarm first = pending.peek(); first != null && first.dueNanos - now <= 0; first = pending.peek()) {
            pending.remove();
            Runnable task = first.getAndSet(null);
            if (task == null) {
                cancelled.decrementAndGet();
            } else {
                DaemonThreads.run(task);
            }
        }
    }

    private void clearCancelled() {
        places = pending.size();
        if (isTimeToClear(cancelled.get())) {
            pending.removeIf(alarm -> alarm.get() == null);
            cancelled.addAndGet(pending.size() - places);
            places = pending.size();
        }
    }

    private boolean isTimeToClear(int howManyCancelled) {
        return howManyCancelled > Math.max(FEW_CANCELLED, places / 2);
    }

    private void sleep() {
        boolean unused = Thread.interrupted(); // or it would not sleep
        long now = now();
        Alarm first = pending.peek();
        long until = first == null ? now + LONGEST_NANOS : first.dueNanos;
        wakeAt = until;
        if (arrivals.get() == null && !isTimeToClear(cancelled.get())) {
            LockSupport.parkNanos(this, until - now);
        }
    }

    /** How many alarms there was room for a moment ago. */
    int places() {
        return places;
    }

    /** Refers to its task; to nothing once that has run or been cancelled. */
    final class Alarm extends AtomicReference<@Nullable Runnable> implements TimeSource.Cancellable {

        static final Comparator<Alarm> EARLIEST_FIRST = (one, other) -> Long.signum(one.dueNanos - other.dueNanos);

        private static final long serialVersionUID = 1L;

        private final long dueNanos;

        /** Link of the stack of arrivals. */
        private transient @Nullable Alarm below;

        private Alarm(Runnable task, long dueNanos) {
            super(task);
            this.dueNanos = dueNanos;
        }

        @Override
        public void cancel() {
            if (letGo() && isTimeToClear(cancelled.get())) {
                LockSupport.unpark(thread.get());
            }
        }

        /** Tells whether this call made sure that the task will not run. */
        private boolean letGo() {
            boolean wasToRun = getAndSet(null) != null;
            if (wasToRun) {
                cancelled.incrementAndGet();
            }
            return wasToRun;
        }
    }
}
