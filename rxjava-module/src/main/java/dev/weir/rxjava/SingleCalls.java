package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.core.SingleSource;

/** A single that is subscribed once a permit is granted. */
final class SingleCalls<T> extends Single<T> {

    private final SingleSource<T> source;
    private final Calls calls;

    SingleCalls(SingleSource<T> source, Calls calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(SingleObserver<? super T> downstream) {
        DisposableCall.enter(
                () -> new Call<T>(source, downstream, calls),
                downstream::onSubscribe,
                error -> Single.<T>error(error).subscribe(downstream));
    }

    private static final class Call<T> extends DisposableCall implements SingleObserver<T> {

        private final SingleSource<T> source;
        private final SingleObserver<? super T> downstream;

        Call(SingleSource<T> source, SingleObserver<? super T> downstream, Calls calls) {
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
        void tellError(Throwable error) {
            downstream.onError(error);
        }
    }
}
