package dev.weir.reactor;

import dev.weir.gate.StreamWorker;
import dev.weir.stream.StreamOptions;
import java.util.concurrent.Executor;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Where a stream continues after a wait for a limiter that others use too: on a worker of its own, unless told otherwise. */
final class OwnWorker {

    private OwnWorker() {}

    static Executor unlessGiven(StreamOptions options, Scheduler scheduler) {
        return options.emitOn().orElseGet(() -> of(scheduler));
    }

    private static Executor of(Scheduler scheduler) {
        return new StreamWorker<>(
                Schedulers::onSchedule, scheduler::createWorker, Scheduler.Worker::schedule, Scheduler.Worker::dispose);
    }
}
