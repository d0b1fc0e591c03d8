package dev.weir.samples;

import dev.weir.time.TimeSource;

/** A clock that remembers what each thread last read: for an immediate grant, the time of the grant. */
public final class GrantClock implements TimeSource {

    private final TimeSource time;
    private final ThreadLocal<Long> last = ThreadLocal.withInitial(() -> 0L);

    /**
     * Creates a clock that delegates to another time source.
     *
     * @param time the time source
     */
    public GrantClock(TimeSource time) {
        this.time = time;
    }

    @Override
    public long nanoTime() {
        long now = time.nanoTime();
        last.set(now);
        return now;
    }

    /**
     * Returns the time that this thread last read.
     *
     * @return the time
     */
    public long lastReadHere() {
        return last.get();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        return time.schedule(task, delayNanos);
    }
}
