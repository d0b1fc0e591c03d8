package dev.weir;

import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that an actor sets, and a timer that an actor fires; holds the one task an engine may have pending. */
final class ManualTime implements TimeSource {

    private volatile long now;
    private final AtomicReference<Runnable> pending = new AtomicReference<>();

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        pending.set(task);
        return () -> pending.compareAndSet(task, null);
    }

    void set(long nanos) {
        now = nanos;
    }

    /** The task, for those who run it more than once. */
    Runnable pending() {
        return pending.get();
    }

    boolean isPending() {
        return pending.get() != null;
    }

    void fire() {
        Runnable task = pending.getAndSet(null);
        if (task != null) {
            task.run();
        }
    }
}
