package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.gate.CallGate;
import dev.weir.gate.GatedCall;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import java.util.function.Supplier;

/** How the subscriptions of one operator are gated. */
record CallPlan(Supplier<RateLimiter> limiter, int permits, StreamOptions options) {

    static CallPlan of(RateLimiter limiter, int permits, StreamOptions options) {
        Objects.requireNonNull(limiter, "limiter");
        return new CallPlan(() -> limiter, permits, Objects.requireNonNull(options, "options"));
    }

    CallGate newGate(GatedCall call) {
        return new CallGate(limiter.get(), permits, options, OwnWorker.unlessGiven(options), call);
    }
}
