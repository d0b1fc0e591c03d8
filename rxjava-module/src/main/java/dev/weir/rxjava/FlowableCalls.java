package dev.weir.rxjava;

import dev.weir.Lease;
import dev.weir.gate.CallPlan;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import java.util.function.BiConsumer;
import org.reactivestreams.Subscriber;

/** A flowable that is subscribed once a permit is granted. */
final class FlowableCalls<T> extends Flowable<T> {

    private final BiConsumer<Lease, ? super FlowableSubscriber<T>> source;
    private final CallPlan calls;

    /**
     * Creates such a flowable.
     *
     * @param source subscribes a subscriber to the source, which may depend on the lease
     */
    FlowableCalls(BiConsumer<Lease, ? super FlowableSubscriber<T>> source, CallPlan calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(Subscriber<? super T> downstream) {
        GuardedSubscribe.begin(
                () -> new CallSubscriber<T>(source, downstream, calls),
                CallSubscriber::enter,
                error -> Flowable.<T>error(error).subscribe(downstream));
    }
}
