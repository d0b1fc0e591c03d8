package dev.weir.rxjava;

import dev.weir.Lease;
import dev.weir.gate.CallPlan;
import io.reactivex.rxjava3.core.CompletableObserver;
import io.reactivex.rxjava3.core.MaybeObserver;
import io.reactivex.rxjava3.core.Observer;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.Objects;
import java.util.function.BiConsumer;

/** One subscription of a gated source that is disposed rather than cancelled: an observer of all such sources. */
final class DisposableCall<T> extends OneCall<T, Disposable>
        implements Observer<T>, SingleObserver<T>, MaybeObserver<T>, CompletableObserver, Disposable {

    private final BiConsumer<Lease, ? super DisposableCall<T>> source;
    private final Downstream<T> downstream;

    private DisposableCall(
            CallPlan calls, BiConsumer<Lease, ? super DisposableCall<T>> source, Downstream<T> downstream) {
        super(calls);
        this.source = source;
        this.downstream = downstream;
    }

    /**
     * Begins a subscription: downstream receives the call as its disposable, and the call requests its permit.
     *
     * @param source subscribes the call to the source, which may depend on the lease
     */
    static <T> void enter(
            CallPlan calls, BiConsumer<Lease, ? super DisposableCall<T>> source, Downstream<T> downstream) {
        GuardedSubscribe.begin(
                () -> new DisposableCall<>(calls, source, downstream), DisposableCall::enter, downstream::failAtOnce);
    }

    private void enter() {
        downstream.begun().accept(this);
        gate.enter();
    }

    // From the source

    @Override
    public void onSubscribe(Disposable disposable) {
        arrives(disposable, "Disposable");
    }

    @Override
    public void onSuccess(T value) {
        gate.success(Objects.requireNonNull(value, "value"));
    }

    // From downstream

    @Override
    public void dispose() {
        gate.cancel();
    }

    @Override
    public boolean isDisposed() {
        return gate.isEnded() || gate.isCancelled();
    }

    // From the gate

    @Override
    public void subscribe(Lease lease) {
        source.accept(lease, this);
    }

    @Override
    public void requestFromSource(Disposable upstream, long elements) {
        // Such a source receives no requests.
    }

    @Override
    public void cancelSource(Disposable upstream) {
        upstream.dispose();
    }

    @Override
    public void next(T element) {
        downstream.value().accept(element);
    }

    @Override
    public void complete() {
        downstream.complete();
    }

    @Override
    public boolean canBeEmpty() {
        return downstream.empty() != null;
    }

    @Override
    public void error(Throwable error) {
        downstream.error().accept(error);
    }
}
