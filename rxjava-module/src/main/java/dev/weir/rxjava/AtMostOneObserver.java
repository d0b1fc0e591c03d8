package dev.weir.rxjava;

import dev.weir.gate.GatePlan;
import io.reactivex.rxjava3.core.MaybeObserver;
import io.reactivex.rxjava3.core.SingleObserver;
import java.util.function.Consumer;

/** One subscription of a single or maybe whose element needs permits. For downstream, the element is the end as well. */
final class AtMostOneObserver<T> extends DisposableElements<T> implements SingleObserver<T>, MaybeObserver<T> {

    private final Downstream<T> downstream;

    /** Whether downstream has received the element. Belongs to the drain; others may see it late. */
    private boolean passed;

    private AtMostOneObserver(Downstream<T> downstream, GatePlan<T> plan) {
        super(plan);
        this.downstream = downstream;
    }

    /**
     * Begins a subscription.
     *
     * @param source subscribes the observer to the source
     */
    static <T> void enter(GatePlan<T> plan, Consumer<AtMostOneObserver<T>> source, Downstream<T> downstream) {
        GuardedSubscribe.begin(() -> new AtMostOneObserver<>(downstream, plan), source, downstream::failAtOnce);
    }

    @Override
    void begin() {
        downstream.begun().accept(this);
    }

    @Override
    long demand() {
        return 1;
    }

    @Override
    public boolean isDisposed() {
        return passed || super.isDisposed();
    }

    // From the source

    @Override
    public void onSuccess(T element) {
        onNext(element);
        onComplete();
    }

    // From the gate

    @Override
    public boolean next(T element) {
        passed = true;
        downstream.value().accept(element);
        return true;
    }

    @Override
    public void complete() {
        if (!passed) {
            downstream.complete();
        }
    }

    @Override
    public void error(Throwable error) {
        if (passed) {
            errorDropped(error);
        } else {
            downstream.error().accept(error);
        }
    }
}
