package dev.weir.reactor;

import dev.weir.gate.StreamThreads;
import dev.weir.gate.StreamWorker;
import dev.weir.time.TimeSource;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The scheduler for streams, also under virtual time, which puts another in its place. */
record ReactorThreads(Scheduler scheduler) implements StreamThreads {

    /** Returns those in force now. */
    static ReactorThreads inForce() {
        return new ReactorThreads(Schedulers.parallel());
    }

    @Override
    public TimeSource time() {
        return ReactorTime.ofTimed(scheduler);
    }

    @Override
    public StreamWorker<?> newWorker() {
        return new StreamWorker<>(
                Schedulers::onSchedule, scheduler::createWorker, Scheduler.Worker::schedule, Scheduler.Worker::dispose);
    }

    @Override
    public boolean hasClockOf(StreamThreads before) {
        return before instanceof ReactorThreads threads && threads.scheduler == scheduler;
    }
}
