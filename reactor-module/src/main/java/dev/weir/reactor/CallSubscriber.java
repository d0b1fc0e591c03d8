package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.gate.CallGate;
import dev.weir.gate.GatedCall;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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
 * One subscription that needs a permit: downstream has its subscription at once, the source is subscribed when the
 * {@link CallGate} says so.
 */
final class CallSubscriber<T> extends Operators.DeferredSubscription implements CoreSubscriber<T>, GatedCall {

    private final CorePublisher<? extends T> source;
    private final CoreSubscriber<? super T> actual;
    private final boolean endsWithFirst;
    private final Scheduler scheduler = Schedulers.parallel();
    private final Executor resume;
    private final CallGate gate;
    private volatile @Nullable Subscription emitting;
    private boolean done;

    @SuppressWarnings("this-escape") // the gate calls back only once it is entered
    CallSubscriber(
            CorePublisher<? extends T> source,
            CoreSubscriber<? super T> actual,
            boolean endsWithFirst,
            RateLimiter limiter,
            StreamOptions options) {
        this.source = source;
        this.actual = actual;
        this.endsWithFirst = endsWithFirst;
        this.resume = options.emitOn().orElseGet(() -> new StreamWorker(scheduler));
        this.gate = new CallGate(limiter, options, resume, this);
    }

    void enter() {
        actual.onSubscribe(this);
        gate.enter();
    }

    // From the gate

    @Override
    public void begin() {
        try {
            source.subscribe(this);
        } catch (Throwable failure) {
            onError(Operators.onOperatorError(failure, actual.currentContext()));
        }
    }

    @Override
    public void refused(Throwable error) {
        done = true;
        release();
        actual.onError(error);
    }

    @Override
    public void skipped(Throwable error) {
        done = true;
        release();
        actual.onComplete();
    }

    @Override
    public Throwable rejected(RejectedExecutionException rejection) {
        return Operators.onRejectedExecution(rejection, actual.currentContext());
    }

    // From the source

    @Override
    public void onSubscribe(Subscription s) {
        if (emitting == null) {
            emitting = s;
        }
        set(s);
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
        actual.onNext(element);
    }

    @Override
    public void onError(Throwable error) {
        Objects.requireNonNull(error, "onError");
        if (done) {
            Operators.onErrorDropped(error, actual.currentContext());
            return;
        }
        finish();
        actual.onError(error);
    }

    @Override
    public void onComplete() {
        if (!done) {
            finish();
            actual.onComplete();
        }
    }

    private void finish() {
        done = true;
        gate.end();
        release();
    }

    /** The stream is over or will not begin: its worker goes. */
    private void release() {
        if (resume instanceof StreamWorker worker) {
            worker.dispose();
        }
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    // From downstream

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            super.request(n);
        }
    }

    @Override
    public void cancel() {
        super.cancel();
        Subscription upstream = emitting;
        if (upstream != null) {
            upstream.cancel(); // else it hears of this only once it has emitted what was requested before
        }
        gate.cancel();
        release();
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Scannable.Attr key) {
        if (key == Attr.ACTUAL) {
            return actual;
        } else if (key == Attr.TERMINATED) {
            return done;
        } else if (key == Attr.RUN_ON) {
            return scheduler;
        } else if (key == Attr.RUN_STYLE) {
            return Attr.RunStyle.ASYNC;
        }
        return super.scanUnsafe(key);
    }
}
