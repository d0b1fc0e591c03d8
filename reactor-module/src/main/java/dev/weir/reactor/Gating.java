package dev.weir.reactor;

import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** How a gated publisher subscribes its source: so that each element needs a permit, or so that the subscription does. */
interface Gating<T> {

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
            Operators.error(actual, errorOf(thrown, actual.currentContext()));
            return;
        }
        prepared.run();
    }

    /**
     * Returns the error to signal because the source or the limit has thrown: what the hook for errors of operators makes of it, or
     * throws, as downstream must hear of the end. What is fatal is rethrown.
     */
    static Throwable errorOf(Throwable thrown, Context context) {
        Exceptions.throwIfFatal(thrown);
        try {
            return Operators.onOperatorError(thrown, context);
        } catch (Throwable ofHook) {
            return ofHook;
        }
    }
}
