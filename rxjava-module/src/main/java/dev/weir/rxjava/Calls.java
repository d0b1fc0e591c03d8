package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.gate.CallGate;
import dev.weir.gate.GatedCall;
import dev.weir.stream.StreamOptions;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** How the subscriptions of one operator are gated. */
record Calls(Supplier<RateLimiter> limiter, StreamOptions options) {

    CallGate newGate(GatedCall call, Executor resume) {
        return new CallGate(limiter.get(), options, resume, call);
    }

    /** Tells what a source threw instead of saying it to its subscriber. */
    static Throwable thrownBySource(Throwable thrown) {
        // RxJava has only null pointers leave a subscribe, and wraps all else in one.
        Throwable cause = thrown instanceof NullPointerException ? thrown.getCause() : null;
        return cause == null ? thrown : cause;
    }
}
