package dev.weir.reactor;

import dev.weir.gate.StreamHooks;
import java.util.concurrent.RejectedExecutionException;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;

/** The hooks of Reactor, those of the subscriber's context first. */
interface ReactorHooks<T> extends StreamHooks<T>, CoreSubscriber<T> {

    @Override
    default void discard(T element) {
        Operators.onDiscard(element, currentContext());
    }

    @Override
    default void elementDropped(T element) {
        Operators.onNextDropped(element, currentContext());
    }

    @Override
    default void errorDropped(Throwable error) {
        Operators.onErrorDropped(error, currentContext());
    }

    @Override
    default Throwable rejected(RejectedExecutionException rejection) {
        return Operators.onRejectedExecution(rejection, currentContext());
    }

    @Override
    default void throwIfFatal(Throwable thrown) {
        Exceptions.throwIfFatal(thrown);
    }
}
