package dev.weir.rxjava;

import dev.weir.gate.GatePlan;
import io.reactivex.rxjava3.core.Flowable;
import org.reactivestreams.Subscriber;

/** A flowable whose elements need permits. */
final class FlowableElements<T> extends Flowable<T> {

    private final Flowable<T> source;
    private final GatePlan<T> plan;

    FlowableElements(Flowable<T> source, GatePlan<T> plan) {
        this.source = source;
        this.plan = plan;
    }

    @Override
    protected void subscribeActual(Subscriber<? super T> downstream) {
        GuardedSubscribe.begin(
                () -> new ElementSubscriber<T>(downstream, plan),
                source::subscribe,
                error -> Flowable.<T>error(error).subscribe(downstream));
    }
}
