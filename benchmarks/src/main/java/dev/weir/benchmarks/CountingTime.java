package dev.weir.benchmarks;

import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The time of this machine, counting the timers that are pending. */
public final class CountingTime implements TimeSource {

    private final TimeSource system = TimeSource.system();
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicInteger mostPending = new AtomicInteger();

    public int pending() {
        return pending.get();
    }

    public int mostPending() {
        return mostPending.get();
    }

    @Override
    public long nanoTime() {
        return system.nanoTime();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        AtomicBoolean over = new AtomicBoolean();
        mostPending.accumulateAndGet(pending.incrementAndGet(), Math::max);
        Cancellable timer = system.schedule(
                () -> {
                    end(over);
                    task.run();
                },
                delayNanos);
        return () -> {
            end(over);
            timer.cancel();
        };
    }

    private void end(AtomicBoolean over) {
        if (over.compareAndSet(false, true)) {
            pending.decrementAndGet();
        }
    }
}
