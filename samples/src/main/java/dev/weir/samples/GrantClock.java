package dev.weir.samples;

import dev.weir.time.TimeSource;

/** A clock that remembers what each thread last read: for a grant at once, the time of the grant. */
public final class GrantClock implements TimeSource {

    private final TimeSource time;
    private final ThreadLocal<Long> last = ThreadLocal.withInitial(() -> 0L);

    /**
     * Reads another clock.
     *
     * @param time that clock, and its timer
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
     * Returns what this thread last read.
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
