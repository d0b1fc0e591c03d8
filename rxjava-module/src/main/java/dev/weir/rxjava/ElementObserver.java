package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Observer;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;

/** One subscription of an observable whose elements need permits. It has no backpressure, so all are requested at once. */
final class ElementObserver<T> extends GatedElements<T> implements Observer<T>, Disposable {

    private final Observer<? super T> downstream;

    @SuppressWarnings("NullAway.Init") // comes first, by the protocol
    private Disposable upstream;

    ElementObserver(Observer<? super T> downstream, Setup<T> setup) {
        super(setup);
        this.downstream = downstream;
    }

    @Override
    public void onSubscribe(Disposable disposable) {
        if (upstream != null) {
            disposable.dispose();
            RxJavaPlugins.onError(new ProtocolViolationException("Disposable already set!"));
            return;
        }
        upstream = disposable;
        downstream.onSubscribe(this);
        gate.request(Long.MAX_VALUE);
        gate.start();
    }

    @Override
    public void dispose() {
        gate.cancel();
    }

    @Override
    public boolean isDisposed() {
        return gate.isCancelled() || gate.isEnded();
    }

    @Override
    public boolean next(T element) {
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
        // An observable receives no requests.
    }

    @Override
    public void cancelSource() {
        upstream.dispose();
    }
}
