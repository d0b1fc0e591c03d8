package dev.weir.rxjava;

import io.reactivex.rxjava3.exceptions.Exceptions;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Begins subscriptions so that {@code subscribe} never throws (§1.9). */
final class GuardedSubscribe {

    private GuardedSubscribe() {}

    /** Creates what the subscription needs and continues with it; an exception of the maker is signalled downstream. */
    static <S> void begin(Supplier<S> maker, Consumer<S> next, Consumer<Throwable> downstream) {
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
