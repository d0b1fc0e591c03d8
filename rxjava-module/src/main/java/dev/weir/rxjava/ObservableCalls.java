package dev.weir.rxjava;

import dev.weir.gate.CallPlan;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.ObservableSource;
import io.reactivex.rxjava3.core.Observer;

/** An observable that is subscribed once a permit is granted. */
final class ObservableCalls<T> extends Observable<T> {

    private final ObservableSource<T> source;
    private final CallPlan calls;

    ObservableCalls(ObservableSource<T> source, CallPlan calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(Observer<? super T> downstream) {
        DisposableCall.enter(
                calls,
                (lease, call) -> source.subscribe(call),
                new Downstream<T>(
                        downstream::onSubscribe, downstream::onNext, downstream::onComplete, downstream::onError));
    }
}
