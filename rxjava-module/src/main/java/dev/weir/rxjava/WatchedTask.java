package dev.weir.rxjava;

import dev.weir.gate.Rejection;
import dev.weir.time.TimeSource;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * A scheduled task that detects its rejection by the scheduler, and that is never interrupted by its own cancellation.
 *
 * <p>RxJava reports a rejection to its plugins and returns a disposed {@link Disposable}; what it returns for a task that has
 * already run may look the same. And disposing a running task interrupts it.
 *
 * <pre>
 *   PENDING --run--&gt; BEGUN        cancel comes too late
 *      +-----cancel--&gt; CANCELLED  run does nothing
 * </pre>
 */
final class WatchedTask implements Runnable, TimeSource.Cancellable {

    private enum State {
        PENDING,
        BEGUN,
        CANCELLED
    }

    private final Runnable body;
    private final AtomicReference<State> state = new AtomicReference<>(State.PENDING);
    private Disposable place = Disposable.disposed();

    private WatchedTask(Runnable body) {
        this.body = body;
    }

    /**
     * Submits a task to a scheduler.
     *
     * @throws RejectedExecutionException if the scheduler will never run it
     */
    static TimeSource.Cancellable submit(Runnable body, Function<Runnable, Disposable> scheduler) {
        WatchedTask task = new WatchedTask(body);
        try {
            task.place = scheduler.apply(task);
        } catch (Throwable failure) {
            if (task.isPending()) {
                throw Rejection.of(failure);
            }
            throw failure;
        }
        if (task.place.isDisposed() && task.isPending()) {
            throw new RejectedExecutionException("The scheduler takes no more tasks");
        }
        return task;
    }

    private boolean isPending() {
        return state.get() == State.PENDING;
    }

    @Override
    public void run() {
        if (state.compareAndSet(State.PENDING, State.BEGUN)) {
            body.run();
        }
    }

    @Override
    public void cancel() {
        if (state.compareAndSet(State.PENDING, State.CANCELLED)) {
            place.dispose();
        }
    }
}
