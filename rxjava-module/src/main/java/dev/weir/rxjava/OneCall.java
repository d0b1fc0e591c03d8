package dev.weir.rxjava;

import dev.weir.gate.CallGate;
import dev.weir.gate.CallPlan;
import dev.weir.gate.GatedCall;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.Objects;

/**
 * One subscription of a gated source of any kind: translates between RxJava and the {@link CallGate}, which makes all decisions.
 *
 * @param <T> the type of the elements
 * @param <S> what the source sends when it is subscribed
 */
abstract class OneCall<T, S> implements GatedCall<T, S>, RxHooks<T> {

    final CallGate<T, S> gate;

    OneCall(CallPlan calls) {
        this.gate = calls.newGate(this, RxThreads.inForce());
    }

    // From the source

    /** Accepts what the source sends when it is subscribed, which goes by that name. */
    final void arrives(S sent, String name) {
        if (!gate.arrives(sent)) {
            RxJavaPlugins.onError(new ProtocolViolationException(name + " already set!"));
        }
    }

    /** Signals an element of the source. */
    public final void onNext(T element) {
        gate.next(Objects.requireNonNull(element, "element"));
    }

    /** Signals an error of the source. */
    public final void onError(Throwable error) {
        gate.fail(Objects.requireNonNull(error, "error"));
    }

    /** Signals the completion of the source. */
    public final void onComplete() {
        gate.complete();
    }

    // From the gate

    @Override
    public final Throwable sourceFailed(Throwable failure) {
        // RxJava lets only null pointer exceptions leave a subscribe, and wraps all others in one.
        Throwable cause = failure instanceof NullPointerException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }
}
