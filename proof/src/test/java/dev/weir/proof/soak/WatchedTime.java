package dev.weir.proof.soak;

import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The time of this machine, and how many tasks wait for it. */
final class WatchedTime implements TimeSource {

    private final AtomicInteger pending = new AtomicInteger();

    int pending() {
        return pending.get();
    }

    @Override
    public long nanoTime() {
        return TimeSource.system().nanoTime();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        AtomicBoolean waiting = new AtomicBoolean(true);
        pending.incrementAndGet();
        Cancellable scheduled = TimeSource.system()
                .schedule(
                        () -> {
                            endOf(waiting);
                            task.run();
                        },
                        delayNanos);
        return () -> {
            endOf(waiting);
            scheduled.cancel();
        };
    }

    private void endOf(AtomicBoolean waiting) {
        if (waiting.getAndSet(false)) {
            pending.decrementAndGet();
        }
    }
}
