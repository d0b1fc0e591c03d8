package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.gate.CallGate;
import dev.weir.gate.GatedCall;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.exceptions.Exceptions;
import java.util.Objects;
import java.util.function.Supplier;

/** How the subscriptions of one operator are gated. */
record CallPlan(Supplier<RateLimiter> limiter, StreamOptions options) {

    static CallPlan of(RateLimiter limiter, StreamOptions options) {
        Objects.requireNonNull(limiter, "limiter");
        return new CallPlan(() -> limiter, Objects.requireNonNull(options, "options"));
    }

    CallGate newGate(GatedCall call) {
        return new CallGate(limiter.get(), options, OwnWorker.unlessGiven(options), call);
    }

    /** Rethrows a fatal failure, and cancels before, so that nothing is left behind. */
    static void cancelIfFatal(Throwable thrown, Runnable cancel) {
        try {
            Exceptions.throwIfFatal(thrown);
        } catch (Throwable fatal) {
            cancel.run();
            throw fatal;
        }
    }

    /** Returns what a source threw instead of signalling it to its subscriber. */
    static Throwable thrownBySource(Throwable thrown) {
        // RxJava lets only null pointer exceptions leave a subscribe, and wraps all others in one.
        Throwable cause = thrown instanceof NullPointerException ? thrown.getCause() : null;
        return cause == null ? thrown : cause;
    }
}
