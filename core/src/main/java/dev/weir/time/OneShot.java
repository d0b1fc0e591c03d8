package dev.weir.time;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A task that runs once, unless it was cancelled before it began. */
final class OneShot extends AtomicReference<@Nullable Runnable> implements Runnable, TimeSource.Cancellable {

    private static final long serialVersionUID = 1L;

    OneShot(Runnable task) {
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
