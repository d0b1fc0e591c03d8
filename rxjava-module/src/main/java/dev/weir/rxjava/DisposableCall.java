package dev.weir.rxjava;

import dev.weir.Lease;
import dev.weir.gate.CallPlan;
import dev.weir.gate.LateUpstream;
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
        super(calls, new LateUpstream<>((disposable, elements) -> {}, Disposable::dispose));
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

    @Override
    void subscribe(Lease lease) {
        source.accept(lease, this);
    }

    @Override
    void next(T element) {
        downstream.value().accept(element);
    }

    @Override
    void fail(Throwable error) {
        downstream.error().accept(error);
    }

    @Override
    public void skipped(Throwable error) {
        if (downstream.empty() == null) {
            refused(error);
        } else {
            onComplete();
        }
    }

    // From the source

    @Override
    public void onSubscribe(Disposable disposable) {
        arrives(disposable, "Disposable");
    }

    @Override
    public void onSuccess(T value) {
        Objects.requireNonNull(value, "value");
        end(() -> downstream.value().accept(value));
    }

    @Override
    public void onComplete() {
        end(downstream::complete);
    }

    // From downstream

    @Override
    public void dispose() {
        cancel();
    }

    @Override
    public boolean isDisposed() {
        return upstream.isOver();
    }
}
