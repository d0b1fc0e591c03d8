package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.gate.GatePlan;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;

/** Gates by a given limiter: each element of streams that may have many, otherwise the call. */
final class SharedGating<T> implements AtMostOneGating<T> {

    private final Gating<T> elements;
    private final CallPlan calls;

    SharedGating(RateLimiter limiter, StreamOptions options) {
        this.elements = new ElementGating<>(chosen -> GatePlan.of(limiter, chosen), options);
        this.calls = CallPlan.of(limiter, options);
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
    public CallPlan calls() {
        return calls;
    }
}
