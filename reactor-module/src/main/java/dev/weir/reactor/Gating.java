package dev.weir.reactor;

import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;

/** How a gated publisher subscribes its source: so that each element needs a permit, or so that the subscription does. */
interface Gating<T> {

    /** Returns the value of {@link reactor.core.publisher.Flux#getPrefetch()}. */
    default int prefetch() {
        return -1;
    }

    /** Begins a subscription. Looks the scheduler up at this time, so that virtual time works. */
    void subscribe(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual);
}
