package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import java.util.Objects;

/** Gates the subscription of any stream by a given limiter. */
final class CallGating<T> implements Gating<T> {

    private final Calls calls;

    CallGating(RateLimiter limiter, StreamOptions options) {
        Objects.requireNonNull(limiter, "limiter");
        this.calls = new Calls(() -> limiter, Objects.requireNonNull(options, "options"));
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
    public Single<T> gate(Single<T> source) {
        return new SingleCalls<>(source, calls);
    }

    @Override
    public Maybe<T> gate(Maybe<T> source) {
        return new MaybeCalls<>(source, calls);
    }

    @Override
    public Completable gate(Completable source) {
        return new CompletableCalls(source, calls);
    }
}
