package dev.weir;

import dev.weir.time.TimeSource;

/** The time of another source, but for what a test overrides. */
public abstract class DelegatingTime implements TimeSource {

    private final TimeSource other;

    protected DelegatingTime(TimeSource other) {
        this.other = other;
    }

    @Override
    public long nanoTime() {
        return other.nanoTime();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        return other.schedule(task, delayNanos);
    }
}
