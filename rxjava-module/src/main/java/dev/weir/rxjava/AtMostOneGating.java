package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;

/** Gates the subscription of each stream that has one element at most. */
interface AtMostOneGating<T> extends Gating<T> {

    /** How the subscriptions of one such stream are gated. Asked once for each stream. */
    CallPlan calls();

    @Override
    default Single<T> gate(Single<T> source) {
        return new SingleCalls<>(source, calls());
    }

    @Override
    default Maybe<T> gate(Maybe<T> source) {
        return new MaybeCalls<>(source, calls());
    }

    @Override
    default Completable gate(Completable source) {
        return new CompletableCalls(source, calls());
    }
}
