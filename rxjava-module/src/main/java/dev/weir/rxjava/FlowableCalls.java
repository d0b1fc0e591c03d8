package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Flowable;
import org.reactivestreams.Subscriber;

/** A flowable that is subscribed once a permit is granted. */
final class FlowableCalls<T> extends Flowable<T> {

    private final Flowable<T> source;
    private final CallPlan calls;

    FlowableCalls(Flowable<T> source, CallPlan calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(Subscriber<? super T> downstream) {
        Subscribing.begin(
                () -> new CallSubscriber<T>(source, downstream, calls),
                CallSubscriber::enter,
                error -> Flowable.<T>error(error).subscribe(downstream));
    }
}
