package dev.weir.rxjava;

import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An executor on a scheduler's worker that belongs to one stream, created when it is first needed. */
final class StreamWorker implements Executor, Disposable {

    private static final Object DISPOSED = new Object();

    private final Scheduler scheduler;

    /** Null, a worker, or {@link #DISPOSED}. */
    private final AtomicReference<@Nullable Object> worker = new AtomicReference<>();

    StreamWorker(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Returns where a stream continues after a wait: on the executor of its options, or on a worker of its own. */
    static Executor unlessGiven(StreamOptions options) {
        return options.emitOn().orElseGet(() -> new StreamWorker(Schedulers.computation()));
    }

    /** Disposes the executor of a stream if it is the stream's own worker. */
    static void letGo(@Nullable Executor resume) {
        if (resume instanceof StreamWorker worker) {
            worker.dispose();
        }
    }

    @Override
    public void execute(Runnable task) {
        WatchedTask.submit(task, accepted -> own().schedule(accepted));
    }

    private Scheduler.Worker own() {
        if (worker.get() == null) {
            Scheduler.Worker made = scheduler.createWorker();
            if (!worker.compareAndSet(null, made)) {
                made.dispose();
            }
        }
        if (worker.get() instanceof Scheduler.Worker own) {
            return own;
        }
        throw new RejectedExecutionException("The stream has ended");
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
