package dev.weir.reactor;

import reactor.core.CoreSubscriber;

/** Gates elements: creates the subscriber between source and downstream for each subscription. */
interface ElementGating<T> extends Gating<T> {

    /** Returns the value of {@link reactor.core.publisher.Flux#getPrefetch()}. */
    int prefetch();

    /** Creates the subscriber. Looks the scheduler up at this time, so that virtual time works. */
    ElementSubscriber<T> subscriber(CoreSubscriber<? super T> actual);
}
