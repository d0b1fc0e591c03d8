package dev.weir.reactor;

import dev.weir.gate.CallPlan;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** Gates the subscription: the source is subscribed once its permit is granted. */
record CallGating<T>(CallPlan calls) implements Gating<T> {

    @Override
    public void subscribe(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        boolean endsWithFirst = source instanceof Mono;
        GuardedSubscribe.begin(
                () -> new CallSubscriber<T>(lease -> source, actual, endsWithFirst, calls),
                CallSubscriber::enter,
                actual);
    }
}
