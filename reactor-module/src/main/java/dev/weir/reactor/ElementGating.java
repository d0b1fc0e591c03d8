package dev.weir.reactor;

import reactor.core.CoreSubscriber;

/** Gates elements: makes the subscriber that stands between source and downstream, for each subscription. */
interface ElementGating<T> extends Gating<T> {

    /** As {@link reactor.core.publisher.Flux#getPrefetch()} has it. */
    int prefetch();

    /** Looks the scheduler up now, so that virtual time works. */
    ElementSubscriber<T> subscriber(CoreSubscriber<? super T> actual);
}
