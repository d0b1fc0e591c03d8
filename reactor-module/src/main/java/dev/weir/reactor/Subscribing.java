package dev.weir.reactor;

import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** How a gated publisher subscribes its source: so that each element needs a permit, or so that the subscription does. */
interface Subscribing<T> {

    /** Returns the value of {@link reactor.core.publisher.Flux#getPrefetch()}. */
    default int prefetch() {
        return -1;
    }

    /**
     * Creates what one subscription needs. Looks the scheduler up at this time, so that virtual time works.
     *
     * @return begins the subscription
     */
    Runnable prepare(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual);

    /** Begins a subscription. If it cannot be prepared, that is signalled downstream, as this must not throw (§1.9). */
    default void subscribe(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        Runnable prepared;
        try {
            prepared = prepare(source, actual);
        } catch (Throwable thrown) {
            Operators.error(actual, Operators.onOperatorError(thrown, actual.currentContext()));
            return;
        }
        prepared.run();
    }
}
