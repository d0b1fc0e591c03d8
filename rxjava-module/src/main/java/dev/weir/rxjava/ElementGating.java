package dev.weir.rxjava;

import dev.weir.gate.GatePlan;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import java.util.function.Function;

/** Gates each element, also that of a single or a maybe, by given limiters. */
final class ElementGating<T> implements ManyGating<T>, AtMostOneGating<T> {

    private final Function<StreamOptions, GatePlan<T>> plans;
    private final GatePlan<T> plan;

    ElementGating(Function<StreamOptions, GatePlan<T>> plans, StreamOptions options) {
        this.plans = plans;
        this.plan = plans.apply(options);
    }

    @Override
    public Flowable<T> gate(Flowable<T> source) {
        return new FlowableElements<>(source, () -> Setup.shared(plan));
    }

    @Override
    public Observable<T> gate(Observable<T> source) {
        GatePlan<T> bounded = plans.apply(ObservableElements.bounded(plan.options()));
        return new ObservableElements<>(source, () -> Setup.shared(bounded));
    }

    @Override
    public Single<T> gate(Single<T> source) {
        GatePlan<T> failing = plans.apply(plan.options().onRefused(OnRefused.FAIL));
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
