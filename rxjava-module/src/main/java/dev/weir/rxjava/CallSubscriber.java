package dev.weir.rxjava;

import dev.weir.gate.CallGate;
import dev.weir.gate.GatedCall;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * One subscription of a gated flowable. Demand that arrives before the source is subscribed is stored.
 *
 * <pre>
 *   null --onSubscribe--&gt; upstream
 *     |                       |
 *     +---cancel, the end-----+--&gt; OVER     an upstream that arrives here is cancelled
 * </pre>
 */
final class CallSubscriber<T> implements FlowableSubscriber<T>, Subscription, GatedCall {

    private static final Subscription OVER = new Over();

    private final Flowable<T> source;
    private final Subscriber<? super T> downstream;
    private final AtomicReference<@Nullable Subscription> upstream = new AtomicReference<>();
    private final AtomicLong requested = new AtomicLong();
    private final CallGate gate;

    CallSubscriber(Flowable<T> source, Subscriber<? super T> downstream, Calls calls) {
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
            Calls.cancelIfFatal(thrown, this::cancel);
            onError(Calls.thrownBySource(thrown));
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
        if (upstream.compareAndSet(null, subscription)) {
            pass(subscription);
            return;
        }
        subscription.cancel();
        if (upstream.get() != OVER) {
            RxJavaPlugins.onError(new ProtocolViolationException("Subscription already set!"));
        }
    }

    @Override
    public void onNext(T element) {
        if (upstream.get() != OVER) {
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
        if (upstream.getAndSet(OVER) == OVER) {
            return false;
        }
        gate.end(signal);
        return true;
    }

    @Override
    public void request(long elements) {
        if (elements <= 0) {
            RxJavaPlugins.onError(new IllegalArgumentException("n > 0 required but it was " + elements));
            return;
        }
        Subscription present = upstream.get();
        if (present != null) {
            present.request(elements);
            return;
        }
        requested.accumulateAndGet(elements, (sum, more) -> sum + more < 0 ? Long.MAX_VALUE : sum + more);
        present = upstream.get();
        if (present != null) {
            pass(present);
        }
    }

    private void pass(Subscription present) {
        long kept = requested.getAndSet(0);
        if (kept > 0) {
            present.request(kept);
        }
    }

    @Override
    public void cancel() {
        Subscription last = upstream.getAndSet(OVER);
        if (last != OVER) {
            try {
                if (last != null) {
                    last.cancel();
                }
            } finally {
                gate.cancel(); // also when the source throws
            }
        }
    }

    private static final class Over implements Subscription {

        @Override
        public void request(long elements) {}

        @Override
        public void cancel() {}
    }
}
