package dev.weir.rxjava;

import dev.weir.gate.Rejection;
import io.reactivex.rxjava3.core.Scheduler;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * The executor of an RxJava scheduler, for {@link dev.weir.stream.StreamOptions#emitOn}: streams continue on that scheduler, and
 * fail if it takes no more tasks.
 *
 * <pre>{@code
 * urls.compose(RateLimit.with(limiter, StreamOptions.defaults().emitOn(RxExecutor.of(Schedulers.io()))));
 * }</pre>
 *
 * <p>{@code scheduler::scheduleDirect} would do until the scheduler is shut down. From then on it drops tasks without throwing:
 * only the plugins hear of it, and a stream that waits for its task waits for ever.
 *
 * <p>Any thread may submit tasks. Each has a worker of its own, so tasks may run at the same time and in any order. Tasks that the
 * scheduler loses later, for example when it is shut down with tasks pending, cannot be distinguished from late ones.
 */
public final class RxExecutor implements Executor {

    private final Scheduler scheduler;

    private RxExecutor(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /**
     * Adapts a scheduler.
     *
     * @param scheduler the scheduler that runs the tasks
     * @return the executor of the scheduler
     */
    public static RxExecutor of(Scheduler scheduler) {
        return new RxExecutor(Objects.requireNonNull(scheduler, "scheduler"));
    }

    /**
     * Runs a task on the scheduler.
     *
     * @param task the task
     * @throws RejectedExecutionException if the scheduler takes no more tasks, whatever it throws or returns then
     */
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        // Not by scheduleDirect: what that returns for a task that Schedulers.io() has rejected does not tell.
        Scheduler.Worker worker = newWorker();
        try {
            WatchedTask.submit(() -> runAndDispose(task, worker), worker::schedule);
        } catch (Throwable failure) {
            worker.dispose();
            throw failure;
        }
    }

    private Scheduler.Worker newWorker() {
        try {
            return scheduler.createWorker();
        } catch (RuntimeException failure) {
            throw Rejection.of(failure);
        }
    }

    private static void runAndDispose(Runnable task, Scheduler.Worker worker) {
        try {
            task.run();
        } finally {
            worker.dispose();
        }
    }

    @Override
    public String toString() {
        return "RxExecutor[" + scheduler + "]";
    }
}
