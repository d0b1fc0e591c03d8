package dev.weir.rxjava;

import dev.weir.gate.CallPlan;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.MaybeObserver;
import io.reactivex.rxjava3.core.MaybeSource;

/** A maybe that is subscribed once a permit is granted. */
final class MaybeCalls<T> extends Maybe<T> {

    private final MaybeSource<T> source;
    private final CallPlan calls;

    MaybeCalls(MaybeSource<T> source, CallPlan calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(MaybeObserver<? super T> downstream) {
        DisposableCall.enter(calls, (lease, call) -> source.subscribe(call), Downstream.<T>of(downstream));
    }
}
