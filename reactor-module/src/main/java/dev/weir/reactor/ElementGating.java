package dev.weir.reactor;

import dev.weir.gate.GatePlan;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** Gates each element, also that of a mono. */
record ElementGating<T>(GatePlan<T> plan) implements Gating<T> {

    @Override
    public int prefetch() {
        return plan.prefetch();
    }

    @Override
    public void subscribe(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        // A mono has at most one element, and may make its call anew each time it is asked.
        boolean asksOnce = source instanceof Mono;
        GuardedSubscribe.begin(
                () -> new ElementSubscriber<T>(actual, asksOnce, plan, ReactorThreads.inForce()),
                source::subscribe,
                actual);
    }
}
