package dev.weir.testkit;

import dev.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * A time source that keeps none of its promises: its clock goes where the test sets it, and its tasks run when the test says
 * so, as often as it says so, cancelled or not. Belongs to one thread.
 */
final class HostileTime implements TimeSource {

    private final List<Runnable> tasks = new ArrayList<>();
    private long now;
    private boolean refusing;

    HostileTime(long originNanos) {
        this.now = originNanos;
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        if (refusing) {
            throw new RejectedExecutionException("on purpose");
        }
        tasks.add(task);
        return () -> {};
    }

    /** Moves the clock alone, in either direction. */
    void jump(long nanos) {
        now += nanos;
    }

    /** Runs every task that was ever scheduled, whether due or not, and whether or not it has run or was cancelled. */
    void fireAll() {
        for (Runnable task : List.copyOf(tasks)) {
            task.run();
        }
    }

    void refuseTasks(boolean refuse) {
        refusing = refuse;
    }

    int scheduled() {
        return tasks.size();
    }
}
