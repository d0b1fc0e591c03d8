package dev.weir.gate;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the {@link CallGate}s of one operator. Immutable; one plan serves any number of subscriptions.
 *
 * @param limiter returns the limiter of a subscription
 * @param permits how many permits each asks for
 * @param options the options of the stream
 */
public record CallPlan(Supplier<? extends RateLimiter> limiter, int permits, StreamOptions options) {

    /**
     * Plans calls that ask a given limiter.
     *
     * @param limiter the limiter to ask
     * @param permits how many permits each asks for
     * @param options the options of the stream
     * @return the plan
     */
    public static CallPlan of(RateLimiter limiter, int permits, StreamOptions options) {
        Objects.requireNonNull(limiter, "limiter");
        return new CallPlan(() -> limiter, permits, Objects.requireNonNull(options, "options"));
    }

    /**
     * Creates the gate of a subscription.
     *
     * @param <T> the type of the elements
     * @param <S> the type of the upstream, which the source sends when it is subscribed
     * @param resume the executor on which the call begins after a wait, as {@link CallGate} describes it
     * @param call the call to begin
     * @return the gate
     */
    public <T, S> CallGate<T, S> newGate(@Nullable Executor resume, GatedCall<T, S> call) {
        return new CallGate<>(limiter.get(), permits, options, resume, call);
    }
}
