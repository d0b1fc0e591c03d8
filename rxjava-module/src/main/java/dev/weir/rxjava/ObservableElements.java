package dev.weir.rxjava;

import dev.weir.gate.GatePlan;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Observer;

/** An observable whose elements need permits. */
final class ObservableElements<T> extends Observable<T> {

    /** The default buffer: an observable has no backpressure, so some room is needed. */
    private static final int ROOM = 1024;

    private final Observable<T> source;
    private final GatePlan<T> plan;

    ObservableElements(Observable<T> source, GatePlan<T> plan) {
        this.source = source;
        this.plan = plan;
    }

    static StreamOptions bounded(StreamOptions options) {
        return options.buffer() > 0 ? options : options.buffer(ROOM);
    }

    @Override
    protected void subscribeActual(Observer<? super T> downstream) {
        GuardedSubscribe.begin(
                () -> new ElementObserver<T>(downstream, plan),
                source::subscribe,
                error -> Observable.<T>error(error).subscribe(downstream));
    }
}
