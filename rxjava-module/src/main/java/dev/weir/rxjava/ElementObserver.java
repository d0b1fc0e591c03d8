package dev.weir.rxjava;

import dev.weir.gate.GatePlan;
import io.reactivex.rxjava3.core.Observer;

/** One subscription of an observable whose elements need permits. It has no backpressure, so all are requested at once. */
final class ElementObserver<T> extends DisposableElements<T> implements Observer<T> {

    private final Observer<? super T> downstream;

    ElementObserver(Observer<? super T> downstream, GatePlan<T> plan) {
        super(plan);
        this.downstream = downstream;
    }

    @Override
    void begin() {
        downstream.onSubscribe(this);
    }

    @Override
    long demand() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean next(T element) {
        downstream.onNext(element);
        return true;
    }

    @Override
    public void complete() {
        downstream.onComplete();
    }

    @Override
    public void error(Throwable error) {
        downstream.onError(error);
    }
}
