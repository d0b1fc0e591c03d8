package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.ObservableSource;
import io.reactivex.rxjava3.core.Observer;

/** An observable that is subscribed once a permit is granted. */
final class ObservableCalls<T> extends Observable<T> {

    private final ObservableSource<T> source;
    private final Calls calls;

    ObservableCalls(ObservableSource<T> source, Calls calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(Observer<? super T> downstream) {
        DisposableCall.enter(
                () -> new Call<T>(source, downstream, calls),
                downstream::onSubscribe,
                error -> Observable.<T>error(error).subscribe(downstream));
    }

    private static final class Call<T> extends DisposableCall implements Observer<T> {

        private final ObservableSource<T> source;
        private final Observer<? super T> downstream;

        Call(ObservableSource<T> source, Observer<? super T> downstream, Calls calls) {
            super(calls);
            this.source = source;
            this.downstream = downstream;
        }

        @Override
        void subscribeSource() {
            source.subscribe(this);
        }

        @Override
        public void onNext(T element) {
            if (!isDisposed()) {
                downstream.onNext(element);
            }
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
