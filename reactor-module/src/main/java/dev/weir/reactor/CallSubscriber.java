package dev.weir.reactor;

import dev.weir.Lease;
import dev.weir.gate.CallGate;
import dev.weir.gate.CallPlan;
import dev.weir.gate.GatedCall;
import dev.weir.gate.LateUpstream;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * One subscription that needs permits: downstream receives its subscription at once, the source is subscribed when the
 * {@link CallGate} begins the call.
 */
final class CallSubscriber<T> implements CoreSubscriber<T>, Subscription, Scannable, GatedCall {

    private final Function<? super Lease, ? extends CorePublisher<? extends T>> source;
    private final CoreSubscriber<? super T> actual;
    private final boolean endsWithFirst;
    private final Scheduler scheduler = Schedulers.parallel();
    private final StreamOptions options;
    private final CallGate gate;
    private final LateUpstream<Subscription> upstream = new LateUpstream<>(Subscription::request, Subscription::cancel);
    private boolean done;

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
        this.options = calls.options();
        this.gate = calls.newGate(OwnWorker.unlessGiven(options, scheduler), this);
    }

    void enter() {
        actual.onSubscribe(this);
        gate.enter();
    }

    // From the gate

    @Override
    public void begin(Lease lease) {
        try {
            source.apply(lease).subscribe(this);
        } catch (Throwable failure) {
            fail(notFatal(failure));
        }
    }

    /** Fails the call because its source threw when it was subscribed. What it has sent of itself by then is cancelled first. */
    private void fail(Throwable error) {
        if (!upstream.cancel(() -> signal(() -> actual.onError(error)))) {
            errorDropped(error);
        }
    }

    /** Returns the error to fail with, unless the failure is fatal: then it is rethrown, and nothing is left behind. */
    private Throwable notFatal(Throwable failure) {
        try {
            return GuardedSubscribe.errorOf(failure, actual.currentContext());
        } catch (Throwable fatal) {
            cancel();
            throw fatal;
        }
    }

    @Override
    public void refused(Throwable error) {
        end(() -> actual.onError(error)); // a refusal that comes too late can be ignored
    }

    @Override
    public void skipped(Throwable error) {
        end(actual::onComplete);
    }

    @Override
    public void errorDropped(Throwable error) {
        Operators.onErrorDropped(error, actual.currentContext());
    }

    @Override
    public Throwable rejected(RejectedExecutionException rejection) {
        return Operators.onRejectedExecution(rejection, actual.currentContext());
    }

    // From the source

    @Override
    public void onSubscribe(Subscription s) {
        if (!upstream.arrives(s)) {
            Operators.reportSubscriptionSet();
        }
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "onNext");
        if (done) {
            Operators.onNextDropped(element, actual.currentContext());
            return;
        }
        if (endsWithFirst) {
            gate.end();
        }
        try {
            actual.onNext(element);
        } catch (Throwable thrown) {
            cancel(); // a subscriber that throws has cancelled (§2.13)
            throw thrown;
        }
    }

    @Override
    public void onError(Throwable error) {
        Objects.requireNonNull(error, "onError");
        if (!end(() -> actual.onError(error))) {
            errorDropped(error);
        }
    }

    @Override
    public void onComplete() {
        end(actual::onComplete);
    }

    /** Ends the subscription with a signal, and returns whether it was not over yet. */
    private boolean end(Runnable signal) {
        boolean ends = upstream.end();
        if (ends) {
            signal(signal);
        }
        return ends;
    }

    private void signal(Runnable end) {
        done = true;
        gate.end(end);
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    // From downstream

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            upstream.request(n);
        }
    }

    @Override
    public void cancel() {
        upstream.cancel(gate::cancel);
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Scannable.Attr key) {
        if (key == Attr.PARENT) {
            return upstream.present();
        } else if (key == Attr.ACTUAL) {
            return actual;
        } else if (key == Attr.TERMINATED) {
            return done;
        } else if (key == Attr.CANCELLED) {
            return upstream.isOver() && !done;
        } else if (key == Attr.REQUESTED_FROM_DOWNSTREAM) {
            return upstream.stored();
        } else if (key == Attr.RUN_ON) {
            return options.emitOn().isPresent() ? null : scheduler;
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
