package dev.weir.reactor;

import dev.weir.Lease;
import dev.weir.gate.CallGate;
import dev.weir.gate.CallPlan;
import dev.weir.gate.GatedCall;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One subscription that needs permits: translates between Reactor and the {@link CallGate}, which makes all decisions. Downstream
 * receives its subscription at once; the source is subscribed when the permits are granted.
 */
final class CallSubscriber<T> implements ReactorHooks<T>, Subscription, Scannable, GatedCall<T, Subscription> {

    private final Function<? super Lease, ? extends CorePublisher<? extends T>> source;
    private final CoreSubscriber<? super T> actual;
    private final boolean endsWithFirst;
    private final CallPlan calls;
    private final ReactorThreads threads = ReactorThreads.inForce();
    private final CallGate<T, Subscription> gate;

    /**
     * Creates a subscription.
     *
     * @param source returns the source, which may depend on the lease
     * @param endsWithFirst whether the first element ends the call, as that of a mono does
     */
    @SuppressWarnings("this-escape") // the gate calls back only once it is entered
    CallSubscriber(
            Function<? super Lease, ? extends CorePublisher<? extends T>> source,
            CoreSubscriber<? super T> actual,
            boolean endsWithFirst,
            CallPlan calls) {
        this.source = source;
        this.actual = actual;
        this.endsWithFirst = endsWithFirst;
        this.calls = calls;
        this.gate = calls.newGate(this, threads);
    }

    void enter() {
        actual.onSubscribe(this);
        gate.enter();
    }

    // From the source

    @Override
    public void onSubscribe(Subscription s) {
        if (!gate.arrives(s)) {
            Operators.reportSubscriptionSet();
        }
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "onNext");
        if (endsWithFirst) {
            gate.last(element);
        } else {
            gate.next(element);
        }
    }

    @Override
    public void onError(Throwable error) {
        gate.fail(Objects.requireNonNull(error, "onError"));
    }

    @Override
    public void onComplete() {
        gate.complete();
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    // From downstream

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            gate.request(n);
        }
    }

    @Override
    public void cancel() {
        gate.cancel();
    }

    // From the gate

    @Override
    public void subscribe(Lease lease) {
        source.apply(lease).subscribe(this);
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
        actual.onNext(element);
    }

    @Override
    public void complete() {
        actual.onComplete();
    }

    @Override
    public void error(Throwable error) {
        actual.onError(error);
    }

    @Override
    public Throwable sourceFailed(Throwable failure) {
        return Operators.onOperatorError(failure, actual.currentContext());
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Scannable.Attr key) {
        if (key == Attr.PARENT) {
            return gate.upstream();
        } else if (key == Attr.ACTUAL) {
            return actual;
        } else if (key == Attr.TERMINATED) {
            return gate.isEnded();
        } else if (key == Attr.CANCELLED) {
            return gate.isCancelled();
        } else if (key == Attr.REQUESTED_FROM_DOWNSTREAM) {
            return gate.storedDemand();
        } else if (key == Attr.RUN_ON) {
            return calls.options().emitOn().isPresent() ? null : threads.scheduler();
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
