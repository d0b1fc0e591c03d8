package dev.weir.rxjava;

import dev.weir.Lease;
import dev.weir.gate.CallPlan;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.function.BiConsumer;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** One subscription of a gated flowable. */
final class CallSubscriber<T> extends OneCall<T, Subscription> implements FlowableSubscriber<T>, Subscription {

    private final BiConsumer<Lease, ? super CallSubscriber<T>> source;
    private final Subscriber<? super T> downstream;

    CallSubscriber(
            BiConsumer<Lease, ? super CallSubscriber<T>> source, Subscriber<? super T> downstream, CallPlan calls) {
        super(calls);
        this.source = source;
        this.downstream = downstream;
    }

    void enter() {
        downstream.onSubscribe(this);
        gate.enter();
    }

    // From the source

    @Override
    public void onSubscribe(Subscription subscription) {
        arrives(subscription, "Subscription");
    }

    // From downstream

    @Override
    public void request(long elements) {
        if (elements <= 0) {
            RxJavaPlugins.onError(new IllegalArgumentException("n > 0 required but it was " + elements));
            return;
        }
        gate.request(elements);
    }

    @Override
    public void cancel() {
        gate.cancel();
    }

    // From the gate

    @Override
    public void subscribe(Lease lease) {
        source.accept(lease, this);
    }

    @Override
    public void requestFromSource(Subscription upstream, long elements) {
        upstream.request(elements);
    }

    @Override
    public void cancelSource(Subscription upstream) {
        upstream.cancel();
    }

    @Override
    public void next(T element) {
        downstream.onNext(element);
    }

    @Override
    public void complete() {
        downstream.onComplete();
    }

    @Override
    public void error(Throwable error) {
        downstream.onError(error);
    }
}
