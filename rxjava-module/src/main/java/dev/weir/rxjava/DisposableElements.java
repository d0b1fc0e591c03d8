package dev.weir.rxjava;

import dev.weir.gate.GatePlan;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.Objects;

/** One subscription whose elements need permits, of a source that is disposed rather than cancelled and has no backpressure. */
abstract class DisposableElements<T> extends GatedElements<T> implements Disposable {

    @SuppressWarnings("NullAway.Init") // comes first, by the protocol
    private Disposable upstream;

    DisposableElements(GatePlan<T> plan) {
        super(plan);
    }

    /** Hands this to downstream as its disposable. */
    abstract void begin();

    /** How many elements downstream takes. */
    abstract long demand();

    public final void onSubscribe(Disposable disposable) {
        Objects.requireNonNull(disposable, "disposable");
        if (upstream != null) {
            disposable.dispose();
            RxJavaPlugins.onError(new ProtocolViolationException("Disposable already set!"));
            return;
        }
        upstream = disposable;
        begin();
        gate.request(demand());
        gate.start();
    }

    @Override
    public final void dispose() {
        if (!isDisposed()) {
            gate.cancel();
        }
    }

    @Override
    public boolean isDisposed() {
        return gate.isCancelled() || gate.isEnded();
    }

    @Override
    public final void requestFromSource(long elements) {
        // Such a source receives no requests.
    }

    @Override
    public final void cancelSource() {
        upstream.dispose();
    }
}
