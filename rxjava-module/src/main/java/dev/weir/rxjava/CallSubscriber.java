package dev.weir.rxjava;

import dev.weir.gate.CallGate;
import dev.weir.gate.GatedCall;
import dev.weir.gate.LateUpstream;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** One subscription of a gated flowable. */
final class CallSubscriber<T> implements FlowableSubscriber<T>, Subscription, GatedCall {

    private final Flowable<T> source;
    private final Subscriber<? super T> downstream;
    private final LateUpstream<Subscription> upstream = new LateUpstream<>(Subscription::request, Subscription::cancel);
    private final CallGate gate;

    CallSubscriber(Flowable<T> source, Subscriber<? super T> downstream, CallPlan calls) {
        this.source = source;
        this.downstream = downstream;
        this.gate = calls.newGate(this);
    }

    void enter() {
        downstream.onSubscribe(this);
        gate.enter();
    }

    @Override
    public void begin() {
        try {
            source.subscribe(this);
        } catch (Throwable thrown) {
            CallPlan.cancelIfFatal(thrown, this::cancel);
            fail(CallPlan.thrownBySource(thrown));
        }
    }

    /** Fails the call because its source threw when it was subscribed. What it has sent of itself by then is cancelled first. */
    private void fail(Throwable error) {
        if (!upstream.cancel(() -> gate.end(() -> downstream.onError(error)))) {
            RxJavaPlugins.onError(error);
        }
    }

    @Override
    public void refused(Throwable error) {
        end(() -> downstream.onError(error)); // a refusal that comes too late can be ignored
    }

    @Override
    public void skipped(Throwable error) {
        onComplete();
    }

    @Override
    public void errorDropped(Throwable error) {
        RxJavaPlugins.onError(error);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        if (!upstream.arrives(subscription)) {
            RxJavaPlugins.onError(new ProtocolViolationException("Subscription already set!"));
        }
    }

    @Override
    public void onNext(T element) {
        if (!upstream.isOver()) {
            downstream.onNext(element);
        }
    }

    @Override
    public void onError(Throwable error) {
        if (!end(() -> downstream.onError(error))) {
            RxJavaPlugins.onError(error);
        }
    }

    @Override
    public void onComplete() {
        end(downstream::onComplete);
    }

    private boolean end(Runnable signal) {
        boolean ends = upstream.end();
        if (ends) {
            gate.end(signal);
        }
        return ends;
    }

    @Override
    public void request(long elements) {
        if (elements <= 0) {
            RxJavaPlugins.onError(new IllegalArgumentException("n > 0 required but it was " + elements));
            return;
        }
        upstream.request(elements);
    }

    @Override
    public void cancel() {
        upstream.cancel(gate::cancel);
    }
}
