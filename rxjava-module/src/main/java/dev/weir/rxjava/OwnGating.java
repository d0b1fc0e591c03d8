package dev.weir.rxjava;

import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;
import java.util.Objects;

/** Gates each element by a limiter that belongs to the one subscription. */
final class OwnGating<T> implements ManyGating<T> {

    private final Limit limit;
    private final StreamOptions options;

    OwnGating(Limit limit, StreamOptions options) {
        this.limit = Objects.requireNonNull(limit, "limit");
        this.options = Objects.requireNonNull(options, "options");
    }

    @Override
    public Flowable<T> gate(Flowable<T> source) {
        return new FlowableElements<>(source, () -> Setup.own(limit, options));
    }

    @Override
    public Observable<T> gate(Observable<T> source) {
        StreamOptions bounded = ObservableElements.bounded(options);
        return new ObservableElements<>(source, () -> Setup.own(limit, bounded));
    }
}
