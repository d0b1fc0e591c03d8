package dev.weir.gate;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An executor on a worker of the framework's scheduler that belongs to one stream: created when it is first needed, and disposed
 * of by the gate when the stream is over. Its tasks run within what the hook for scheduled tasks captures on the thread that creates
 * the executor, whoever schedules them. Any thread.
 *
 * @param <W> the type of the worker
 */
public final class StreamWorker<W> implements Executor {

    private static final Object DISPOSED = new Object();

    private static final VarHandle WORKER =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(StreamWorker.class, "worker", Object.class));

    private final UnaryOperator<Runnable> hooked;
    private final Supplier<W> make;
    private final BiConsumer<W, Runnable> run;
    private final Consumer<W> dispose;

    /** Null, a worker, or {@link #DISPOSED}. */
    private volatile @Nullable Object worker;

    /**
     * Creates the executor of one stream, on the thread that subscribes it.
     *
     * @param hook the framework's hook for scheduled tasks, which is called at once; returns what it is given if there is none. What
     *     it throws rejects all tasks
     * @param make creates a worker; called by the first task
     * @param run gives a task to the worker; throws {@link RejectedExecutionException} if the worker will not run it
     * @param dispose disposes of the worker, which may interrupt the task that it is running
     */
    public StreamWorker(
            UnaryOperator<Runnable> hook, Supplier<W> make, BiConsumer<W, Runnable> run, Consumer<W> dispose) {
        this.hooked = HookedTask.hookedBy(hook);
        this.make = make;
        this.run = run;
        this.dispose = dispose;
    }

    @Override
    public void execute(Runnable task) {
        if (worker == null) {
            W made = newWorker();
            if (!WORKER.compareAndSet(this, null, made)) {
                dispose.accept(made);
            }
        }
        Object own = worker;
        if (own == DISPOSED) {
            throw new RejectedExecutionException("The stream has ended");
        }
        run.accept(asWorker(own), hooked.apply(task));
    }

    private W newWorker() {
        try {
            return make.get();
        } catch (RuntimeException failure) {
            throw Rejection.of(failure);
        }
    }

    /** Disposes of the worker if a stream continues on one of its own. Idempotent. */
    static void release(@Nullable Executor resume) {
        if (resume instanceof StreamWorker<?> own) {
            own.dispose();
        }
    }

    private void dispose() {
        Object last = WORKER.getAndSet(this, DISPOSED);
        if (last != null && last != DISPOSED) {
            dispose.accept(asWorker(last));
        }
    }

    @SuppressWarnings("unchecked") // all that is stored but DISPOSED has been made
    private W asWorker(@Nullable Object stored) {
        return (W) Objects.requireNonNull(stored);
    }
}
