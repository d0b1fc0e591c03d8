package dev.weir.rxjava;

import dev.weir.gate.StreamWorker;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.util.concurrent.Executor;

/** Where a stream continues after a wait for a limiter that others use too: on a worker of its own, unless told otherwise. */
final class OwnWorker {

    private OwnWorker() {}

    static Executor unlessGiven(StreamOptions options) {
        return options.emitOn().orElseGet(() -> of(Schedulers.computation()));
    }

    private static Executor of(Scheduler scheduler) {
        return new StreamWorker<>(
                RxJavaPlugins::onSchedule,
                scheduler::createWorker,
                (worker, task) -> WatchedTask.submit(task, worker::schedule),
                Scheduler.Worker::dispose);
    }
}
