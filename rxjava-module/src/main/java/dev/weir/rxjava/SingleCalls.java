package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.core.SingleSource;

/** A single that is subscribed once a permit is granted. */
final class SingleCalls<T> extends Single<T> {

    private final SingleSource<T> source;
    private final CallPlan calls;

    SingleCalls(SingleSource<T> source, CallPlan calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(SingleObserver<? super T> downstream) {
        DisposableCall.enter(calls, source::subscribe, Downstream.<T>of(downstream));
    }
}
