package dev.weir;

import dev.weir.time.TimeSource;

/** A time that breaks where a test says so. Belongs to one thread. */
final class BreakingTime implements TimeSource {

    private final SteppedTime time = new SteppedTime(Long.MAX_VALUE - 15);

    boolean clockBroken;
    Runnable onNextReading = () -> {};
    boolean cancelBroken;
    boolean noThreads;
    boolean losing;
    int eager;

    @Override
    public long nanoTime() {
        Runnable due = onNextReading;
        onNextReading = () -> {};
        due.run();
        check(clockBroken);
        return time.nanoTime();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        if (noThreads) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        if (eager > 0) {
            eager--;
            task.run();
            task.run();
        }
        if (losing) {
            return () -> {};
        }
        Cancellable handle = time.schedule(task, delayNanos);
        return () -> {
            check(cancelBroken);
            handle.cancel();
        };
    }

    void advanceBy(long nanos) {
        time.advanceBy(nanos);
    }

    int pendingTasks() {
        return time.pendingTasks();
    }

    private static void check(boolean broken) {
        if (broken) {
            throw new IllegalStateException("on purpose");
        }
    }
}
