package dev.weir.gate;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** The configuration of the {@link CallGate}s of one operator. Immutable; one plan serves any number of subscriptions. */
public final class CallPlan {

    private final Function<StreamThreads, RateLimiter> limiter;
    private final int permits;
    private final StreamOptions options;

    private CallPlan(Function<StreamThreads, RateLimiter> limiter, int permits, StreamOptions options) {
        this.limiter = limiter;
        this.permits = permits;
        this.options = Objects.requireNonNull(options, "options");
    }

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
        return new CallPlan(threads -> limiter, permits, options);
    }

    /**
     * Plans calls that each ask for a permit of one limiter, which is made when it is first needed, and anew on another clock.
     *
     * @param limit the limit of the limiter
     * @param options the options of the stream
     * @return the plan
     */
    public static CallPlan oneForAll(Limit limit, StreamOptions options) {
        return new CallPlan(new OneForAll(limit), 1, options);
    }

    /**
     * Returns the options of the stream.
     *
     * @return the options
     */
    public StreamOptions options() {
        return options;
    }

    /**
     * Creates the gate of a subscription. After a wait the call begins on the executor that the options give, or else on a worker of
     * its own.
     *
     * @param <T> the type of the elements
     * @param <S> the type of the upstream, which the source sends when it is subscribed
     * @param call the call to begin
     * @param threads the threads of the framework
     * @return the gate
     */
    public <T, S> CallGate<T, S> newGate(GatedCall<T, S> call, StreamThreads threads) {
        Executor resume = options.emitOn().orElseGet(threads::newWorker);
        return new CallGate<>(limiter.apply(threads), permits, options, resume, call);
    }
}
