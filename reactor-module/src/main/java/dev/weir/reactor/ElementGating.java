package dev.weir.reactor;

import dev.weir.gate.GatePlan;
import java.util.concurrent.Executor;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Gates each element, also that of a mono, by given limiters, which may serve other streams. */
final class ElementGating<T> implements Gating<T>, Subscribing<T> {

    private final GatePlan<T> plan;

    ElementGating(GatePlan<T> plan) {
        this.plan = plan;
    }

    @Override
    public Flux<T> gate(Flux<T> source) {
        return new FluxRateLimit<>(source, this);
    }

    @Override
    public Mono<T> gate(Mono<T> source) {
        return new MonoRateLimit<>(source, this);
    }

    @Override
    public int prefetch() {
        return plan.prefetch();
    }

    @Override
    public Runnable prepare(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        // A grant arrives on the thread that made it possible, which must not run this stream's downstream.
        Scheduler scheduler = Schedulers.parallel();
        Executor resume = OwnWorker.unlessGiven(plan.options(), scheduler);
        // A mono has at most one element, and may make its call anew each time it is asked.
        boolean asksOnce = source instanceof Mono;
        ElementSubscriber<T> subscriber = new ElementSubscriber<>(actual, asksOnce, plan, scheduler, resume);
        return () -> source.subscribe(subscriber);
    }
}
