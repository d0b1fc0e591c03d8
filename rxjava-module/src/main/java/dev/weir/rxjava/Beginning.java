package dev.weir.rxjava;

import io.reactivex.rxjava3.exceptions.Exceptions;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** How a subscription begins, so that {@code subscribe} never throws (§1.9). */
final class Beginning {

    private Beginning() {}

    /** Makes what the subscription needs and goes on with it; what keeps it from being made is said to downstream. */
    static <S> void of(Supplier<S> maker, Consumer<S> next, Consumer<Throwable> downstream) {
        S made;
        try {
            made = maker.get();
        } catch (Throwable thrown) {
            Exceptions.throwIfFatal(thrown);
            downstream.accept(thrown);
            return;
        }
        next.accept(made);
    }
}
