package dev.weir.rxjava;

import dev.weir.gate.CallPlan;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.CompletableObserver;
import io.reactivex.rxjava3.core.CompletableSource;

/** A completable that is subscribed once a permit is granted. */
final class CompletableCalls extends Completable {

    private final CompletableSource source;
    private final CallPlan calls;

    CompletableCalls(CompletableSource source, CallPlan calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(CompletableObserver downstream) {
        DisposableCall.enter(
                calls,
                (lease, call) -> source.subscribe(call),
                new Downstream<Object>(
                        downstream::onSubscribe, none -> {}, downstream::onComplete, downstream::onError));
    }
}
