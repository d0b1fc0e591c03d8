package dev.weir.rxjava;

import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Observer;
import java.util.function.Supplier;

/** An observable whose elements need permits. */
final class ObservableElements<T> extends Observable<T> {

    /** The default buffer: an observable has no backpressure, so some room is needed. */
    private static final int ROOM = 1024;

    private final Observable<T> source;
    private final Supplier<Passage<T>> passages;

    ObservableElements(Observable<T> source, Supplier<Passage<T>> passages) {
        this.source = source;
        this.passages = passages;
    }

    static StreamOptions bounded(StreamOptions options) {
        return options.buffer() > 0 ? options : options.buffer(ROOM);
    }

    @Override
    protected void subscribeActual(Observer<? super T> downstream) {
        Beginning.of(
                () -> new ElementObserver<T>(downstream, passages.get()),
                source::subscribe,
                error -> Observable.<T>error(error).subscribe(downstream));
    }
}
