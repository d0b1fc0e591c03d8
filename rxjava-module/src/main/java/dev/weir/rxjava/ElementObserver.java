package dev.weir.rxjava;

import dev.weir.gate.ElementGate;
import dev.weir.gate.StreamEnds;
import io.reactivex.rxjava3.core.Observer;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.exceptions.Exceptions;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.Objects;

/** One subscription of an observable whose elements need permits: translates between RxJava and the gate, which decides. */
final class ElementObserver<T> implements Observer<T>, Disposable, StreamEnds<T> {

    private final Observer<? super T> downstream;
    private final Passage<T> passage;
    private final ElementGate<T> gate;

    @SuppressWarnings("NullAway.Init") // comes first, by the protocol
    private Disposable upstream;

    ElementObserver(Observer<? super T> downstream, Passage<T> passage) {
        this.downstream = downstream;
        this.passage = passage;
        this.gate = passage.newGate(this);
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
    public void onNext(T element) {
        gate.offer(Objects.requireNonNull(element, "element"));
    }

    @Override
    public void onError(Throwable error) {
        gate.fail(Objects.requireNonNull(error, "error"));
    }

    @Override
    public void onComplete() {
        gate.complete();
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

    @Override
    public void discard(T element) {
        // RxJava has no hook for it.
    }

    @Override
    public void elementDropped(T element) {
        // Nor for this.
    }

    @Override
    public void errorDropped(Throwable error) {
        RxJavaPlugins.onError(error);
    }

    @Override
    public Throwable overflow(T element) {
        return ElementSubscriber.overflow(passage.plan());
    }

    @Override
    public Throwable functionFailed(T element, Throwable failure) {
        Exceptions.throwIfFatal(failure);
        return failure;
    }
}
