package dev.weir.time;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A timer thread: runs short tasks when they are due. Scheduling and cancelling are lock-free, as event loops do both.
 *
 * <p>The queue of pending alarms is used by the thread only. New alarms come through an {@link AlarmInbox}, so that the thread
 * never sleeps past one that is due.
 *
 * <p>A cancelled alarm releases its task at once. If it is in the pending queue, its place remains until it would have been due,
 * or until more than half of all places belong to cancelled alarms, when these are removed together, at constant amortized cost.
 * That is not slept through either: the cancelling thread counts the alarm, then reads the number of places; the timer thread
 * writes the number of places, then reads the count.
 */
final class TimerThread {

    /** The longest sleep and the longest delay, 73 years: times that far apart can still be compared by subtraction. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    /** How long the thread rests after an error, so that one that stays does not keep a processor busy. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Up to this number, cancelled alarms are not cleared. */
    private static final int FEW_CANCELLED = 64;

    private final LongSupplier clock;
    private final ThreadFactory threads;

    /** Null while no timer thread runs. */
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

    private final AlarmInbox arrivals = new AlarmInbox();

    /** The number of cancelled alarms that still have a place in the inbox or in the queue. */
    private final AtomicInteger cancelled = new AtomicInteger();

    /** The number of pending alarms, cancelled ones included, as of the thread's last pass. */
    private volatile int places;

    // Used only by the timer thread; if it ends, by the next one.
    private final PriorityQueue<Alarm> pending = new PriorityQueue<>(Alarm.EARLIEST_FIRST);
    private @Nullable Alarm taken;

    TimerThread(LongSupplier clock, ThreadFactory threads) {
        this.clock = clock;
        this.threads = threads;
    }

    /** Returns the current time of the clock that alarms follow. */
    long now() {
        return clock.getAsLong();
    }

    /** Schedules a task, which must not block, to run on the thread after a delay; zero or less means at once. */
    Alarm schedule(Runnable task, long delayNanos) {
        Alarm alarm = new Alarm(task, now() + Math.max(0, Math.min(delayNanos, LONGEST_NANOS)));
        boolean isDueWhileAsleep = arrivals.push(alarm);
        Thread timer = thread.get();
        if (timer == null) {
            startFor(alarm);
        } else if (isDueWhileAsleep) {
            LockSupport.unpark(timer);
        }
        return alarm;
    }

    /** Several callers may start a thread: the first to run stays, and finds the alarms of all. */
    private void startFor(Alarm alarm) {
        try {
            threads.newThread(this::runAll).start();
        } catch (Throwable noThread) {
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
                passOrRest();
            }
        } finally {
            thread.set(null); // the next schedule starts another, which finds what is pending
        }
    }

    /** After an error, such as no memory, what is pending must not wait until somebody schedules again. */
    private void passOrRest() {
        try {
            takeArrivals();
            runDue();
            clearCancelled();
            sleep();
        } catch (Error thrown) {
            DaemonThreads.report(thrown);
            rest();
        }
    }

    private void rest() {
        boolean unused = Thread.interrupted(); // otherwise it would not rest
        LockSupport.parkNanos(this, REST_NANOS);
    }

    private void takeArrivals() {
        if (taken == null) {
            taken = arrivals.takeAll();
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
            Runnable task = first.getAndSet(null);
            if (task == null) {
                cancelled.decrementAndGet();
            } else {
                runOrKeep(first, task);
            }
            pending.remove();
        }
    }

    /** If there was no memory to hand a task over, its alarm remains the first, and the next pass runs it. */
    private static void runOrKeep(Alarm first, Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            if (task instanceof HandOver && thrown instanceof OutOfMemoryError noMemory) {
                first.set(task);
                throw noMemory;
            }
            DaemonThreads.report(thrown);
        }
    }

    private void clearCancelled() {
        places = pending.size();
        if (isTimeToClear()) {
            pending.removeIf(alarm -> alarm.get() == null);
            cancelled.addAndGet(pending.size() - places);
            places = pending.size();
        }
    }

    private boolean isTimeToClear() {
        return cancelled.get() > Math.max(FEW_CANCELLED, places / 2);
    }

    private void sleep() {
        boolean unused = Thread.interrupted(); // otherwise it would not sleep
        long now = now();
        Alarm first = pending.peek();
        long until = first == null ? now + LONGEST_NANOS : first.dueNanos;
        if (arrivals.announceSleepUntil(until) && !isTimeToClear()) {
            LockSupport.parkNanos(this, until - now);
        }
    }

    /** The number of places in the queue of pending alarms; a snapshot. */
    int places() {
        return places;
    }

    /** A task that only hands over another. If it throws an {@link OutOfMemoryError}, it has not done so, and is run again. */
    interface HandOver extends Runnable {}

    /** A scheduled task. Refers to the task; to null once it has run or been cancelled. */
    final class Alarm extends AtomicReference<@Nullable Runnable> implements TimeSource.Cancellable {

        static final Comparator<Alarm> EARLIEST_FIRST = (one, other) -> Long.signum(one.dueNanos - other.dueNanos);

        private static final long serialVersionUID = 1L;

        final long dueNanos;

        /** The next alarm in the inbox. */
        transient @Nullable Alarm below;

        Alarm(Runnable task, long dueNanos) {
            super(task);
            this.dueNanos = dueNanos;
        }

        @Override
        public void cancel() {
            if (letGo() && isTimeToClear()) {
                LockSupport.unpark(thread.get());
            }
        }

        /** Returns whether this call has prevented the task from running. */
        private boolean letGo() {
            boolean wasToRun = getAndSet(null) != null;
            if (wasToRun) {
                cancelled.incrementAndGet();
            }
            return wasToRun;
        }
    }
}
