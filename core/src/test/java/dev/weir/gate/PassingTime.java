package dev.weir.gate;

import dev.weir.time.TimeSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.LongSupplier;

/** Time that passes by itself: a little at every reading, as much as is said in between, and up to the next task when idle. */
final class PassingTime implements TimeSource {

    private record Task(long due, Runnable body) {}

    private final PriorityQueue<Task> tasks = new PriorityQueue<>(Comparator.comparingLong(Task::due));
    private final LongSupplier perReading;
    private long now;
    private int readings;

    PassingTime(Random random, long mostPerReading) {
        this(() -> random.nextLong(mostPerReading + 1));
    }

    PassingTime(LongSupplier perReading) {
        this.perReading = perReading;
    }

    @Override
    public long nanoTime() {
        long read = now;
        readings++;
        pass(perReading.getAsLong());
        return read;
    }

    @Override
    public Cancellable schedule(Runnable body, long delayNanos) {
        Task task = new Task(now + Math.max(0, delayNanos), body);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /** How often it has been read. */
    int readings() {
        return readings;
    }

    /** The time, looked at from outside. */
    long now() {
        return now;
    }

    void pass(long nanos) {
        now += nanos;
    }

    /** Runs the task that is due next, when it is due. False if there is none. */
    boolean runNext() {
        Task next = tasks.poll();
        if (next == null) {
            return false;
        }
        now = Math.max(now, next.due);
        next.body.run();
        return true;
    }
}
