package dev.weir.rxjava;

import dev.weir.gate.CallPlan;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;

/** Gates the subscription of any stream. */
record CallGating<T>(CallPlan calls) implements ManyGating<T>, AtMostOneGating<T> {

    @Override
    public Flowable<T> gate(Flowable<T> source) {
        return new FlowableCalls<>((lease, call) -> source.subscribe(call), calls);
    }

    @Override
    public Observable<T> gate(Observable<T> source) {
        return new ObservableCalls<>(source, calls);
    }

    @Override
    public Single<T> gate(Single<T> source) {
        return new SingleCalls<>((lease, call) -> source.subscribe(call), calls);
    }

    @Override
    public Maybe<T> gate(Maybe<T> source) {
        return new MaybeCalls<>(source, calls);
    }

    @Override
    public Completable gate(Completable source) {
        return new CompletableCalls(source, calls);
    }
}
