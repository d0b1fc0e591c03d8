package dev.weir.reactor;

import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** Gates elements: creates the subscriber between source and downstream for each subscription. */
interface ElementGating<T> extends Gating<T>, Subscribing<T> {

    ElementSubscriber<T> subscriber(CoreSubscriber<? super T> actual);

    @Override
    default Runnable prepare(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        ElementSubscriber<T> subscriber = subscriber(actual);
        return () -> source.subscribe(subscriber);
    }

    @Override
    default Flux<T> gate(Flux<T> source) {
        return new FluxRateLimit<>(source, this);
    }
}
