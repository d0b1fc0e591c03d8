package dev.weir.rxjava;

import dev.weir.gate.ElementGate;
import dev.weir.gate.GatePlan;
import dev.weir.gate.PulledSource;
import dev.weir.gate.StreamEnds;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import io.reactivex.rxjava3.exceptions.Exceptions;
import io.reactivex.rxjava3.exceptions.MissingBackpressureException;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.exceptions.QueueOverflowException;
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
 * One subscription of a flowable whose elements need permits: translates between RxJava and the gate, which decides.
 *
 * <p>Fuses with the source if both it and the plan allow that; never offers fusion downstream, which would take elements without
 * permits.
 */
final class ElementSubscriber<T> implements FlowableSubscriber<T>, Subscription, StreamEnds<T> {

    private final Subscriber<? super T> downstream;
    private final @Nullable ConditionalSubscriber<? super T> conditional;
    private final Passage<T> passage;
    private final ElementGate<T> gate;

    @SuppressWarnings("NullAway.Init") // comes first, by the protocol
    private Subscription upstream;

    @SuppressWarnings("unchecked") // a consumer of supertypes of T accepts T
    ElementSubscriber(Subscriber<? super T> downstream, Passage<T> passage) {
        this.downstream = downstream;
        this.conditional =
                downstream instanceof ConditionalSubscriber ? (ConditionalSubscriber<? super T>) downstream : null;
        this.passage = passage;
        this.gate = passage.newGate(this);
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
        if (!passage.plan().allowsPulling() || !(subscription instanceof QueueSubscription)) {
            return;
        }
        @SuppressWarnings("unchecked") // of the same source
        QueueSubscription<T> queue = (QueueSubscription<T>) subscription;
        // No asynchronous fusion: the requesting thread would take elements that observeOn delivers on its own thread.
        if (queue.requestFusion(QueueFuseable.SYNC | QueueFuseable.BOUNDARY) == QueueFuseable.SYNC) {
            gate.startPulling(new Pulled<>(queue));
        }
    }

    @Override
    public void onNext(T element) {
        gate.offer(Objects.requireNonNull(element, "element"));
    }

    @Override
    public void onError(Throwable error) {
        gate.fail(Objects.requireNonNull(error, "error"));
    }

    @Override
    public void onComplete() {
        gate.complete();
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

    @Override
    public void discard(T element) {
        // RxJava has no hook for it.
    }

    @Override
    public void elementDropped(T element) {
        // Nor for this.
    }

    @Override
    public void errorDropped(Throwable error) {
        RxJavaPlugins.onError(error);
    }

    @Override
    public Throwable overflow(T element) {
        return overflow(passage.plan());
    }

    static Throwable overflow(GatePlan<?> plan) {
        int buffer = plan.options().buffer();
        return buffer > 0
                ? new MissingBackpressureException("The buffer of " + buffer + " elements is full")
                : new QueueOverflowException();
    }

    @Override
    public Throwable functionFailed(T element, Throwable failure) {
        Exceptions.throwIfFatal(failure);
        return failure;
    }

    @Override
    public Throwable pullFailed(Throwable failure) {
        Exceptions.throwIfFatal(failure);
        return failure;
    }

    /** The queue of a fused source. */
    private record Pulled<T>(SimpleQueue<T> queue) implements PulledSource<T> {

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
