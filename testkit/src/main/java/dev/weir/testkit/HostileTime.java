package dev.weir.testkit;

import dev.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * A time source that breaks its contract: the test sets its clock to any time, and runs its tasks at any time, any number of times,
 * cancelled or not. Used by one thread only.
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

    /** Moves the clock in either direction, without running tasks. */
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
