package dev.weir.rxjava;

import dev.weir.Lease;
import dev.weir.gate.CallGate;
import dev.weir.gate.CallPlan;
import dev.weir.gate.GatedCall;
import dev.weir.gate.LateUpstream;
import io.reactivex.rxjava3.exceptions.Exceptions;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.Objects;

/**
 * One subscription of a gated source of any kind.
 *
 * @param <T> the type of the elements
 * @param <U> what the source sends when it is subscribed
 */
abstract class OneCall<T, U> implements GatedCall {

    final LateUpstream<U> upstream;
    final CallGate gate;

    OneCall(CallPlan calls, LateUpstream<U> upstream) {
        this.upstream = upstream;
        this.gate = calls.newGate(OwnWorker.unlessGiven(calls.options()), this);
    }

    /** Subscribes the source, which may depend on the lease. */
    abstract void subscribe(Lease lease);

    /** Signals an element downstream. */
    abstract void next(T element);

    /** Signals an error downstream. */
    abstract void fail(Throwable error);

    // From the gate

    @Override
    public final void begin(Lease lease) {
        try {
            subscribe(lease);
        } catch (Throwable thrown) {
            cancelIfFatal(thrown);
            failBySource(thrownBySource(thrown));
        }
    }

    /** Rethrows a fatal failure, and cancels before, so that nothing is left behind. */
    private void cancelIfFatal(Throwable thrown) {
        try {
            Exceptions.throwIfFatal(thrown);
        } catch (Throwable fatal) {
            cancel();
            throw fatal;
        }
    }

    /** Returns what a source threw instead of signalling it to its subscriber. */
    private static Throwable thrownBySource(Throwable thrown) {
        // RxJava lets only null pointer exceptions leave a subscribe, and wraps all others in one.
        Throwable cause = thrown instanceof NullPointerException ? thrown.getCause() : null;
        return cause == null ? thrown : cause;
    }

    /** Fails the call because its source threw when it was subscribed. What it has sent of itself by then is cancelled first. */
    private void failBySource(Throwable error) {
        if (!upstream.cancel(() -> gate.end(() -> fail(error)))) {
            RxJavaPlugins.onError(error);
        }
    }

    @Override
    public final void refused(Throwable error) {
        end(() -> fail(error)); // a refusal that comes too late can be ignored
    }

    @Override
    public final void errorDropped(Throwable error) {
        RxJavaPlugins.onError(error);
    }

    // From the source

    /** Accepts what the source sends when it is subscribed, which goes by that name. */
    final void arrives(U sent, String name) {
        if (!upstream.arrives(sent)) {
            RxJavaPlugins.onError(new ProtocolViolationException(name + " already set!"));
        }
    }

    /** Signals an element of the source. */
    public final void onNext(T element) {
        Objects.requireNonNull(element, "element");
        if (upstream.isOver()) {
            return;
        }
        try {
            next(element);
        } catch (Throwable thrown) {
            cancel(); // a subscriber that throws has cancelled (§2.13)
            throw thrown;
        }
    }

    /** Signals an error of the source. */
    public final void onError(Throwable error) {
        Objects.requireNonNull(error, "error");
        if (!end(() -> fail(error))) {
            RxJavaPlugins.onError(error);
        }
    }

    /** Ends the subscription with a signal, and returns whether it was not over yet. */
    final boolean end(Runnable signal) {
        boolean ends = upstream.end();
        if (ends) {
            gate.end(signal);
        }
        return ends;
    }

    // From downstream

    /** Cancels the subscription, unless it is over. */
    public final void cancel() {
        upstream.cancel(gate::cancel);
    }
}
