package dev.weir.rxjava;

import io.reactivex.rxjava3.core.MaybeObserver;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The observer of a gated source, of whichever kind.
 *
 * @param begun its {@code onSubscribe}
 * @param value takes a value, if there is one
 * @param empty its {@code onComplete}; null if it has none, as the source must have a value
 * @param error its {@code onError}
 */
record Downstream<T>(
        Consumer<? super Disposable> begun,
        Consumer<? super T> value,
        @Nullable Runnable empty,
        Consumer<? super Throwable> error) {

    static <T> Downstream<T> of(SingleObserver<? super T> observer) {
        return new Downstream<>(observer::onSubscribe, observer::onSuccess, null, observer::onError);
    }

    static <T> Downstream<T> of(MaybeObserver<? super T> observer) {
        return new Downstream<>(observer::onSubscribe, observer::onSuccess, observer::onComplete, observer::onError);
    }

    /** Signals an end without a value. */
    void complete() {
        Objects.requireNonNull(empty, "A single does not complete").run();
    }

    /** Signals an error to an observer that has heard nothing yet. */
    void failAtOnce(Throwable failure) {
        begun.accept(Disposable.disposed());
        error.accept(failure);
    }
}
