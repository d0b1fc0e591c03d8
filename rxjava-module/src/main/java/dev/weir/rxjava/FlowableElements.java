package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Flowable;
import java.util.function.Supplier;
import org.reactivestreams.Subscriber;

/** A flowable whose elements need permits. */
final class FlowableElements<T> extends Flowable<T> {

    private final Flowable<T> source;
    private final Supplier<Passage<T>> passages;

    FlowableElements(Flowable<T> source, Supplier<Passage<T>> passages) {
        this.source = source;
        this.passages = passages;
    }

    @Override
    protected void subscribeActual(Subscriber<? super T> downstream) {
        Beginning.of(
                () -> new ElementSubscriber<T>(downstream, passages.get()),
                source::subscribe,
                error -> Flowable.<T>error(error).subscribe(downstream));
    }
}
