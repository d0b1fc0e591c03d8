package dev.weir.reactor;

import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Begins subscriptions so that {@code subscribe} never throws (§1.9). */
final class GuardedSubscribe {

    private GuardedSubscribe() {}

    /** Creates what the subscription needs and continues with it; an exception of the maker is signalled downstream. */
    static <S> void begin(Supplier<S> maker, Consumer<S> next, CoreSubscriber<?> actual) {
        S made;
        try {
            made = maker.get();
        } catch (Throwable thrown) {
            Operators.error(actual, errorOf(thrown, actual.currentContext()));
            return;
        }
        next.accept(made);
    }

    /**
     * Returns the error to signal because the source or the limit has thrown: what the hook for errors of operators makes of it, or
     * throws, as downstream must hear of the end. What is fatal is rethrown.
     */
    private static Throwable errorOf(Throwable thrown, Context context) {
        Exceptions.throwIfFatal(thrown);
        try {
            return Operators.onOperatorError(thrown, context);
        } catch (Throwable ofHook) {
            return ofHook;
        }
    }
}
