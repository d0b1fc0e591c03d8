package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.gate.GatePlan;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;

/** Gates by a given limiter: each element of streams that may have many, otherwise the call. */
final class SharedGating<T> implements Gating<T> {

    private final Gating<T> elements;
    private final Gating<T> calls;

    SharedGating(RateLimiter limiter, StreamOptions options) {
        this.elements = new ElementGating<>(chosen -> GatePlan.of(limiter, chosen), options);
        this.calls = new CallGating<>(limiter, options);
    }

    @Override
    public Flowable<T> gate(Flowable<T> source) {
        return elements.gate(source);
    }

    @Override
    public Observable<T> gate(Observable<T> source) {
        return elements.gate(source);
    }

    @Override
    public Single<T> gate(Single<T> source) {
        return calls.gate(source);
    }

    @Override
    public Maybe<T> gate(Maybe<T> source) {
        return calls.gate(source);
    }

    @Override
    public Completable gate(Completable source) {
        return calls.gate(source);
    }
}
