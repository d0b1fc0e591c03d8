package dev.weir.samples.gateway;

import dev.weir.time.TimeSource;

/** The time of this machine, which remembers what each thread last read: for a grant at once, the time of the grant. */
final class GrantClock implements TimeSource {

    private final TimeSource system = TimeSource.system();
    private final ThreadLocal<Long> last = ThreadLocal.withInitial(() -> 0L);

    @Override
    public long nanoTime() {
        long now = system.nanoTime();
        last.set(now);
        return now;
    }

    long lastReadHere() {
        return last.get();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        return system.schedule(task, delayNanos);
    }
}
