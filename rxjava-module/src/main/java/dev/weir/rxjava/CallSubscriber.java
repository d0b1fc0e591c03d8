package dev.weir.rxjava;

import dev.weir.Lease;
import dev.weir.gate.CallPlan;
import dev.weir.gate.LateUpstream;
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
        super(calls, new LateUpstream<>(Subscription::request, Subscription::cancel));
        this.source = source;
        this.downstream = downstream;
    }

    void enter() {
        downstream.onSubscribe(this);
        gate.enter();
    }

    @Override
    void subscribe(Lease lease) {
        source.accept(lease, this);
    }

    @Override
    void next(T element) {
        downstream.onNext(element);
    }

    @Override
    void fail(Throwable error) {
        downstream.onError(error);
    }

    @Override
    public void skipped(Throwable error) {
        onComplete();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        arrives(subscription, "Subscription");
    }

    @Override
    public void onComplete() {
        end(downstream::onComplete);
    }

    @Override
    public void request(long elements) {
        if (elements <= 0) {
            RxJavaPlugins.onError(new IllegalArgumentException("n > 0 required but it was " + elements));
            return;
        }
        upstream.request(elements);
    }
}
