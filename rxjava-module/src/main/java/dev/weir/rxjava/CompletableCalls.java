package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.CompletableObserver;
import io.reactivex.rxjava3.core.CompletableSource;

/** A completable that is subscribed once a permit is granted. */
final class CompletableCalls extends Completable {

    private final CompletableSource source;
    private final Calls calls;

    CompletableCalls(CompletableSource source, Calls calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(CompletableObserver downstream) {
        DisposableCall.enter(
                () -> new Call(source, downstream, calls),
                downstream::onSubscribe,
                error -> Completable.error(error).subscribe(downstream));
    }

    private static final class Call extends DisposableCall implements CompletableObserver {

        private final CompletableSource source;
        private final CompletableObserver downstream;

        Call(CompletableSource source, CompletableObserver downstream, Calls calls) {
            super(calls);
            this.source = source;
            this.downstream = downstream;
        }

        @Override
        void subscribeSource() {
            source.subscribe(this);
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
