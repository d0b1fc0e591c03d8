package dev.weir.rxjava;

import dev.weir.Lease;
import dev.weir.gate.CallPlan;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleObserver;
import java.util.function.BiConsumer;

/** A single that is subscribed once a permit is granted. */
final class SingleCalls<T> extends Single<T> {

    private final BiConsumer<Lease, ? super SingleObserver<T>> source;
    private final CallPlan calls;

    /**
     * Creates such a single.
     *
     * @param source subscribes an observer to the source, which may depend on the lease
     */
    SingleCalls(BiConsumer<Lease, ? super SingleObserver<T>> source, CallPlan calls) {
        this.source = source;
        this.calls = calls;
    }

    @Override
    protected void subscribeActual(SingleObserver<? super T> downstream) {
        DisposableCall.enter(calls, source, Downstream.<T>of(downstream));
    }
}
