package dev.weir.rxjava;

import dev.weir.gate.GatePlan;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.MaybeObserver;
import io.reactivex.rxjava3.core.MaybeSource;

/** A maybe whose element, if it has one, needs permits. */
final class MaybeElement<T> extends Maybe<T> {

    private final MaybeSource<T> source;
    private final GatePlan<T> plan;

    MaybeElement(MaybeSource<T> source, GatePlan<T> plan) {
        this.source = source;
        this.plan = plan;
    }

    @Override
    protected void subscribeActual(MaybeObserver<? super T> downstream) {
        AtMostOneObserver.enter(plan, source::subscribe, Downstream.<T>of(downstream));
    }
}
