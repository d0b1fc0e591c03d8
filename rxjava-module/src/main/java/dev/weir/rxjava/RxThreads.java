package dev.weir.rxjava;

import dev.weir.gate.StreamThreads;
import dev.weir.gate.StreamWorker;
import dev.weir.time.TimeSource;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler for streams, also under virtual time, which puts another in its place by a plugin.
 *
 * <p>A plugin that chooses the scheduler may return a new wrapper each time it is asked; as long as the plugin is the same, the
 * clock counts as the same. A {@link TestScheduler} is no wrapper: another one has another clock.
 *
 * @param wrapper the plugin that may have wrapped the scheduler, if any
 */
record RxThreads(Scheduler scheduler, @Nullable Object wrapper) implements StreamThreads {

    /** Returns those in force now. */
    static RxThreads inForce() {
        Object plugin = RxJavaPlugins.getComputationSchedulerHandler();
        Scheduler scheduler = Schedulers.computation();
        return new RxThreads(scheduler, scheduler instanceof TestScheduler ? null : plugin);
    }

    @Override
    public TimeSource time() {
        return RxTime.ofStreams(scheduler);
    }

    @Override
    public StreamWorker<?> newWorker() {
        return new StreamWorker<>(
                RxJavaPlugins::onSchedule,
                scheduler::createWorker,
                (worker, task) -> WatchedTask.submit(task, worker::schedule),
                Scheduler.Worker::dispose);
    }

    @Override
    public boolean hasClockOf(StreamThreads before) {
        return before instanceof RxThreads threads
                && (threads.scheduler == scheduler || (wrapper != null && threads.wrapper == wrapper));
    }
}
