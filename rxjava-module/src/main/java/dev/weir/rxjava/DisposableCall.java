package dev.weir.rxjava;

import dev.weir.gate.CallGate;
import dev.weir.gate.GatedCall;
import dev.weir.gate.LateUpstream;
import io.reactivex.rxjava3.core.CompletableObserver;
import io.reactivex.rxjava3.core.MaybeObserver;
import io.reactivex.rxjava3.core.Observer;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.Objects;
import java.util.function.Consumer;

/** One subscription of a gated source that is disposed rather than cancelled: an observer of all such sources. */
final class DisposableCall<T>
        implements Observer<T>, SingleObserver<T>, MaybeObserver<T>, CompletableObserver, Disposable, GatedCall {

    private final Consumer<DisposableCall<T>> source;
    private final Downstream<T> downstream;
    private final LateUpstream<Disposable> upstream =
            new LateUpstream<>((disposable, elements) -> {}, Disposable::dispose);
    private final CallGate gate;

    private DisposableCall(CallPlan calls, Consumer<DisposableCall<T>> source, Downstream<T> downstream) {
        this.source = source;
        this.downstream = downstream;
        this.gate = calls.newGate(this);
    }

    /**
     * Begins a subscription: downstream receives the call as its disposable, and the call requests its permit.
     *
     * @param source subscribes the call to the source
     */
    static <T> void enter(CallPlan calls, Consumer<DisposableCall<T>> source, Downstream<T> downstream) {
        Beginning.of(
                () -> new DisposableCall<>(calls, source, downstream), DisposableCall::enter, downstream::failAtOnce);
    }

    private void enter() {
        downstream.begun().accept(this);
        gate.enter();
    }

    // From the gate

    @Override
    public void begin() {
        try {
            source.accept(this);
        } catch (Throwable thrown) {
            CallPlan.cancelIfFatal(thrown, this::dispose);
            fail(CallPlan.thrownBySource(thrown));
        }
    }

    /** Fails the call because its source threw when it was subscribed. What it has sent of itself by then is disposed of first. */
    private void fail(Throwable error) {
        if (!upstream.cancel(() -> gate.end(() -> downstream.error().accept(error)))) {
            RxJavaPlugins.onError(error);
        }
    }

    @Override
    public void refused(Throwable error) {
        end(() -> downstream.error().accept(error)); // a refusal that comes too late can be ignored
    }

    @Override
    public void skipped(Throwable error) {
        if (downstream.empty() == null) {
            refused(error);
        } else {
            onComplete();
        }
    }

    @Override
    public void errorDropped(Throwable error) {
        RxJavaPlugins.onError(error);
    }

    // From the source

    @Override
    public void onSubscribe(Disposable disposable) {
        if (!upstream.arrives(disposable)) {
            RxJavaPlugins.onError(new ProtocolViolationException("Disposable already set!"));
        }
    }

    @Override
    public void onNext(T element) {
        if (!isDisposed()) {
            downstream.value().accept(element);
        }
    }

    @Override
    public void onSuccess(T value) {
        end(() -> downstream.value().accept(value));
    }

    @Override
    public void onComplete() {
        end(Objects.requireNonNull(downstream.empty(), "A single does not complete"));
    }

    @Override
    public void onError(Throwable error) {
        if (!end(() -> downstream.error().accept(error))) {
            RxJavaPlugins.onError(error);
        }
    }

    /** Ends the subscription with a signal, and returns whether it was not over yet. */
    private boolean end(Runnable signal) {
        boolean ends = upstream.end();
        if (ends) {
            gate.end(signal);
        }
        return ends;
    }

    // From downstream

    @Override
    public void dispose() {
        upstream.cancel(gate::cancel);
    }

    @Override
    public boolean isDisposed() {
        return upstream.isOver();
    }
}
