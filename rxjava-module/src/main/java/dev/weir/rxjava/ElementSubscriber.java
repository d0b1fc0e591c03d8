package dev.weir.rxjava;

import dev.weir.gate.GatePlan;
import dev.weir.gate.PulledSource;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.operators.ConditionalSubscriber;
import io.reactivex.rxjava3.operators.QueueFuseable;
import io.reactivex.rxjava3.operators.QueueSubscription;
import io.reactivex.rxjava3.operators.SimpleQueue;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * One subscription of a flowable whose elements need permits.
 *
 * <p>Fuses with the source if both it and the plan allow that; never offers fusion downstream, which would take elements without
 * permits.
 */
final class ElementSubscriber<T> extends GatedElements<T> implements FlowableSubscriber<T>, Subscription {

    private final Subscriber<? super T> downstream;
    private final @Nullable ConditionalSubscriber<? super T> conditional;

    @SuppressWarnings("NullAway.Init") // comes first, by the protocol
    private Subscription upstream;

    @SuppressWarnings("unchecked") // a consumer of supertypes of T accepts T
    ElementSubscriber(Subscriber<? super T> downstream, GatePlan<T> plan) {
        super(plan);
        this.downstream = downstream;
        this.conditional =
                downstream instanceof ConditionalSubscriber ? (ConditionalSubscriber<? super T>) downstream : null;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        if (upstream != null) {
            subscription.cancel();
            RxJavaPlugins.onError(new ProtocolViolationException("Subscription already set!"));
            return;
        }
        upstream = subscription;
        fuse(subscription);
        downstream.onSubscribe(this);
        gate.start();
    }

    private void fuse(Subscription subscription) {
        if (!plan.allowsPulling() || !(subscription instanceof QueueSubscription)) {
            return;
        }
        @SuppressWarnings("unchecked") // of the same source
        QueueSubscription<T> queue = (QueueSubscription<T>) subscription;
        // No asynchronous fusion: the requesting thread would take elements that observeOn delivers on its own thread.
        if (queue.requestFusion(QueueFuseable.SYNC | QueueFuseable.BOUNDARY) == QueueFuseable.SYNC) {
            gate.startPulling(new FusedQueue<>(queue));
        }
    }

    @Override
    public void request(long elements) {
        if (elements > 0) {
            gate.request(elements);
        } else {
            RxJavaPlugins.onError(new IllegalArgumentException("n > 0 required but it was " + elements));
        }
    }

    @Override
    public void cancel() {
        gate.cancel();
    }

    @Override
    public boolean next(T element) {
        if (conditional != null) {
            return conditional.tryOnNext(element);
        }
        downstream.onNext(element);
        return true;
    }

    @Override
    public void complete() {
        downstream.onComplete();
    }

    @Override
    public void error(Throwable error) {
        downstream.onError(error);
    }

    @Override
    public void requestFromSource(long elements) {
        upstream.request(elements);
    }

    @Override
    public void cancelSource() {
        upstream.cancel();
    }

    /** The queue of a fused source. */
    private record FusedQueue<T>(SimpleQueue<T> queue) implements PulledSource<T> {

        @Override
        public @Nullable T poll() throws Throwable {
            return queue.poll();
        }

        @Override
        public boolean isEmpty() {
            return queue.isEmpty();
        }

        /** Cancelling a fused source does not close the resources that it has opened: whoever takes from its queue must do so. */
        @Override
        public void clear() {
            queue.clear();
        }
    }
}
