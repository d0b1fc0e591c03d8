package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.MaybeObserver;
import io.reactivex.rxjava3.core.MaybeSource;

/** A maybe that is subscribed once a permit is granted. */
final class MaybeCalls<T> extends Maybe<T> {

    private final MaybeSource<T> source;
    private final Calls calls;

    MaybeCalls(MaybeSource<T> source, Calls calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(MaybeObserver<? super T> downstream) {
        DisposableCall.enter(
                () -> new Call<T>(source, downstream, calls),
                downstream::onSubscribe,
                error -> Maybe.<T>error(error).subscribe(downstream));
    }

    private static final class Call<T> extends DisposableCall implements MaybeObserver<T> {

        private final MaybeSource<T> source;
        private final MaybeObserver<? super T> downstream;

        Call(MaybeSource<T> source, MaybeObserver<? super T> downstream, Calls calls) {
            super(calls);
            this.source = source;
            this.downstream = downstream;
        }

        @Override
        void subscribeSource() {
            source.subscribe(this);
        }

        @Override
        public void onSuccess(T value) {
            end(() -> downstream.onSuccess(value));
        }

        @Override
        public void onComplete() {
            end(downstream::onComplete);
        }

        @Override
        public void skipped(Throwable error) {
            onComplete();
        }

        @Override
        void tellError(Throwable error) {
            downstream.onError(error);
        }
    }
}
