package dev.weir.reactor;

import dev.weir.gate.GatePlan;
import java.util.concurrent.Executor;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Gates each element, also that of a mono, by given limiters, which may serve other streams. */
record ElementGating<T>(GatePlan<T> plan) implements Gating<T> {

    @Override
    public int prefetch() {
        return plan.prefetch();
    }

    @Override
    public void subscribe(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        // A mono has at most one element, and may make its call anew each time it is asked.
        boolean asksOnce = source instanceof Mono;
        GuardedSubscribe.begin(() -> subscriber(actual, asksOnce), source::subscribe, actual);
    }

    private ElementSubscriber<T> subscriber(CoreSubscriber<? super T> actual, boolean asksOnce) {
        // A grant arrives on the thread that made it possible, which must not run this stream's downstream.
        Scheduler scheduler = Schedulers.parallel();
        Executor resume = OwnWorker.unlessGiven(plan.options(), scheduler);
        return new ElementSubscriber<>(actual, asksOnce, plan, scheduler, resume);
    }
}
