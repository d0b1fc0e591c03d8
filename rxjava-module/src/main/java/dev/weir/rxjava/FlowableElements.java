package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Flowable;
import java.util.function.Supplier;
import org.reactivestreams.Subscriber;

/** A flowable whose elements need permits. */
final class FlowableElements<T> extends Flowable<T> {

    private final Flowable<T> source;
    private final Supplier<Setup<T>> setups;

    FlowableElements(Flowable<T> source, Supplier<Setup<T>> setups) {
        this.source = source;
        this.setups = setups;
    }

    @Override
    protected void subscribeActual(Subscriber<? super T> downstream) {
        GuardedSubscribe.begin(
                () -> new ElementSubscriber<T>(downstream, setups.get()),
                source::subscribe,
                error -> Flowable.<T>error(error).subscribe(downstream));
    }
}
