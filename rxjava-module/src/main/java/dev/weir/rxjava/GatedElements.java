package dev.weir.rxjava;

import dev.weir.gate.ElementGate;
import dev.weir.gate.GatePlan;
import dev.weir.gate.GatedStream;
import io.reactivex.rxjava3.exceptions.MissingBackpressureException;
import io.reactivex.rxjava3.exceptions.QueueOverflowException;
import java.util.Objects;

/**
 * One subscription whose elements need permits: translates between RxJava and the gate, which decides. What all kinds of
 * sources have in common: their signals, and what becomes of failures.
 */
abstract class GatedElements<T> implements GatedStream<T>, RxHooks<T> {

    final GatePlan<T> plan;
    final ElementGate<T> gate;

    GatedElements(GatePlan<T> plan) {
        this.plan = plan;
        this.gate = plan.newGate(this, RxThreads.inForce());
    }

    public final void onNext(T element) {
        gate.offer(Objects.requireNonNull(element, "element"));
    }

    public final void onError(Throwable error) {
        gate.fail(Objects.requireNonNull(error, "error"));
    }

    public final void onComplete() {
        gate.complete();
    }

    @Override
    public final Throwable overflow(T element) {
        return plan.options().buffer() > 0
                ? new MissingBackpressureException(plan.overflow())
                : new QueueOverflowException(plan.overflow());
    }
}
