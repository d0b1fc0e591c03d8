package dev.weir;

import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

/** Time that a test moves on by hand; due tasks run in order on the thread that moves it. */
final class SteppedTime implements TimeSource {

    private final AtomicLong now;
    private final AtomicLong scheduled = new AtomicLong();
    private final ConcurrentSkipListSet<Task> tasks = new ConcurrentSkipListSet<>(Comparator.<Task>naturalOrder());

    SteppedTime(long origin) {
        this.now = new AtomicLong(origin);
    }

    @Override
    public long nanoTime() {
        return now.get();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        Task pending = new Task(now.get() + Math.max(0, delayNanos), scheduled.incrementAndGet(), task);
        tasks.add(pending);
        return () -> tasks.remove(pending);
    }

    int pendingTasks() {
        return tasks.size();
    }

    void advanceBy(Duration duration) {
        advanceBy(duration.toNanos());
    }

    void advanceBy(long nanos) {
        long end = now.get() + nanos;
        for (Task first = first(); first != null && first.due - end <= 0; first = first()) {
            if (tasks.remove(first)) {
                now.set(Math.max(now.get() - end, first.due - end) + end);
                first.task.run();
            }
        }
        long further = Math.max(0, now.get() - end); // by a task
        now.set(nanos < 0 ? end : end + further);
    }

    private Task first() {
        Iterator<Task> pending = tasks.iterator();
        return pending.hasNext() ? pending.next() : null;
    }

    private static final class Task implements Comparable<Task> {

        private final long due;
        private final long number;
        private final Runnable task;

        Task(long due, long number, Runnable task) {
            this.due = due;
            this.number = number;
            this.task = task;
        }

        @Override
        public int compareTo(Task other) {
            int byTime = Long.signum(due - other.due);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }
}
