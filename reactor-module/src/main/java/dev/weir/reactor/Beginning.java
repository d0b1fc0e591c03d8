package dev.weir.reactor;

import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** Begins subscriptions so that {@code subscribe} never throws (§1.9). */
final class Beginning {

    private Beginning() {}

    /** Creates what the subscription needs and continues with it; an exception of the maker is signalled downstream. */
    static <S> void of(CoreSubscriber<?> actual, Supplier<S> maker, Consumer<S> next) {
        S made;
        try {
            made = maker.get();
        } catch (Throwable thrown) {
            Operators.error(actual, Operators.onOperatorError(thrown, actual.currentContext()));
            return;
        }
        next.accept(made);
    }
}
