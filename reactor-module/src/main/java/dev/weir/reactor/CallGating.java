package dev.weir.reactor;

import dev.weir.gate.CallPlan;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** Gates the subscription: the source is subscribed once its permit is granted. */
record CallGating<T>(CallPlan calls) implements Gating<T> {

    @Override
    public Runnable prepare(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        boolean endsWithFirst = source instanceof Mono;
        CallSubscriber<T> call = new CallSubscriber<>(lease -> source, actual, endsWithFirst, calls);
        return call::enter;
    }
}
