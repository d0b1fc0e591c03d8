package dev.weir.model;

import dev.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/** Time that goes as a script says: its timers fire in time, late, early and twice, or are refused. Belongs to one thread. */
final class ScriptTime implements TimeSource {

    private record Task(long due, Runnable body) {}

    private final long origin;
    private final List<Task> tasks = new ArrayList<>();
    private long elapsed;
    private boolean refusing;

    ScriptTime(long origin) {
        this.origin = origin;
    }

    @Override
    public long nanoTime() {
        return origin + elapsed;
    }

    @Override
    public Cancellable schedule(Runnable body, long delayNanos) {
        if (refusing) {
            throw new RejectedExecutionException("on purpose");
        }
        Task task = new Task(elapsed + Math.max(0, delayNanos), body);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    long elapsed() {
        return elapsed;
    }

    int pendingTasks() {
        return tasks.size();
    }

    void refuseTasks(boolean refuse) {
        refusing = refuse;
    }

    void advance(long nanos) {
        long end = elapsed + nanos;
        while (nextDue() <= end) {
            elapsed = Math.max(elapsed, nextDue());
            runNext();
        }
        elapsed = Math.max(elapsed, end);
    }

    void jump(long nanos) {
        elapsed += nanos;
        advance(0);
    }

    void fireTwice() {
        List<Task> firing = List.copyOf(tasks);
        tasks.clear();
        firing.forEach(task -> task.body().run());
        firing.forEach(task -> task.body().run());
    }

    private long nextDue() {
        return tasks.stream().mapToLong(Task::due).min().orElse(Long.MAX_VALUE);
    }

    private void runNext() {
        Task next = tasks.stream().min(Comparator.comparingLong(Task::due)).orElseThrow();
        tasks.remove(next);
        next.body().run();
    }
}
