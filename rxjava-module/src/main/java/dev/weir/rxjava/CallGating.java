package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;

/** Gates the subscription of any stream by a given limiter. */
final class CallGating<T> implements AtMostOneGating<T> {

    private final CallPlan calls;

    CallGating(RateLimiter limiter, StreamOptions options) {
        this.calls = CallPlan.of(limiter, options);
    }

    @Override
    public Flowable<T> gate(Flowable<T> source) {
        return new FlowableCalls<>(source, calls);
    }

    @Override
    public Observable<T> gate(Observable<T> source) {
        return new ObservableCalls<>(source, calls);
    }

    @Override
    public CallPlan calls() {
        return calls;
    }
}
