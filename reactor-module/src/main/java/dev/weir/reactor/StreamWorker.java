package dev.weir.reactor;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/** A scheduler's worker of one stream's own, made when it is first needed. */
final class StreamWorker implements Executor, Disposable {

    private static final Object DISPOSED = new Object();

    private final Scheduler scheduler;

    /** Null, a worker, or {@link #DISPOSED}. */
    private final AtomicReference<@Nullable Object> worker = new AtomicReference<>();

    StreamWorker(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public void execute(Runnable task) {
        if (worker.get() == null) {
            Scheduler.Worker made = scheduler.createWorker();
            if (!worker.compareAndSet(null, made)) {
                made.dispose();
            }
        }
        if (!(worker.get() instanceof Scheduler.Worker own)) {
            throw new RejectedExecutionException("The stream has ended");
        }
        own.schedule(task);
    }

    @Override
    public void dispose() {
        if (worker.getAndSet(DISPOSED) instanceof Scheduler.Worker own) {
            own.dispose();
        }
    }

    @Override
    public boolean isDisposed() {
        return worker.get() == DISPOSED;
    }
}
