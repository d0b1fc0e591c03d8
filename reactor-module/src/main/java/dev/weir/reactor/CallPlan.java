package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * How the subscriptions of one operator are gated.
 *
 * @param limiter returns the limiter of a subscription
 * @param permits how many permits each asks for
 * @param options the options of the stream
 */
record CallPlan(Supplier<RateLimiter> limiter, int permits, StreamOptions options) {

    /** Gates by a given limiter. */
    static CallPlan of(RateLimiter limiter, int permits, StreamOptions options) {
        Objects.requireNonNull(limiter, "limiter");
        return new CallPlan(() -> limiter, permits, Objects.requireNonNull(options, "options"));
    }
}
