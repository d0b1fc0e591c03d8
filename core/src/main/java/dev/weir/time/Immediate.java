package dev.weir.time;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A task that does not have to wait for a time. Runs once, unless it was called off before it began. */
final class Immediate extends AtomicReference<@Nullable Runnable> implements Runnable, TimeSource.Cancellable {

    private static final long serialVersionUID = 1L;

    Immediate(Runnable task) {
        super(task);
    }

    @Override
    public void run() {
        Runnable task = getAndSet(null);
        if (task != null) {
            task.run();
        }
    }

    @Override
    public void cancel() {
        set(null);
    }
}
