package dev.weir.rxjava;

import dev.weir.gate.StreamHooks;
import io.reactivex.rxjava3.exceptions.Exceptions;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;

/** The hooks of RxJava. */
interface RxHooks<T> extends StreamHooks<T> {

    @Override
    default void discard(T element) {
        // RxJava has no hook for it.
    }

    @Override
    default void elementDropped(T element) {
        // Nor for this.
    }

    @Override
    default void errorDropped(Throwable error) {
        RxJavaPlugins.onError(error);
    }

    @Override
    default void throwIfFatal(Throwable thrown) {
        Exceptions.throwIfFatal(thrown);
    }
}
