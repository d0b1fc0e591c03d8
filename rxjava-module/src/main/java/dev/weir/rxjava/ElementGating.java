package dev.weir.rxjava;

import dev.weir.gate.GatePlan;
import dev.weir.stream.OnRefused;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;

/** Gates each element, also that of a single or a maybe. */
record ElementGating<T>(GatePlan<T> plan) implements ManyGating<T>, AtMostOneGating<T> {

    @Override
    public Flowable<T> gate(Flowable<T> source) {
        return new FlowableElements<>(source, plan);
    }

    @Override
    public Observable<T> gate(Observable<T> source) {
        GatePlan<T> bounded = plan.with(ObservableElements.bounded(plan.options()));
        return new ObservableElements<>(source, bounded);
    }

    @Override
    public Single<T> gate(Single<T> source) {
        GatePlan<T> failing = plan.with(plan.options().onRefused(OnRefused.FAIL));
        return new SingleElement<>(source, failing);
    }

    @Override
    public Maybe<T> gate(Maybe<T> source) {
        return new MaybeElement<>(source, plan);
    }

    @Override
    public Completable gate(Completable source) {
        throw new UnsupportedOperationException("A Completable has no element with a cost or a key");
    }
}
