package dev.weir.rxjava;

import dev.weir.gate.GatePlan;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.core.SingleSource;

/** A single whose element needs permits. */
final class SingleElement<T> extends Single<T> {

    private final SingleSource<T> source;
    private final GatePlan<T> plan;

    SingleElement(SingleSource<T> source, GatePlan<T> plan) {
        this.source = source;
        this.plan = plan;
    }

    @Override
    protected void subscribeActual(SingleObserver<? super T> downstream) {
        AtMostOneObserver.enter(plan, source::subscribe, Downstream.<T>of(downstream));
    }
}
