package dev.weir.gate;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * The configuration of the {@link ElementGate}s of one operator: which limiter to ask, for how many permits, and the options of the
 * stream. Immutable; one plan serves any number of subscriptions.
 *
 * @param <T> the type of the elements
 */
public abstract sealed class GatePlan<T> permits LimiterPlan, OwnLimiterPlan {

    private final StreamOptions options;

    /** How many elements are read ahead, unless the options say so. */
    private final int readAhead;

    GatePlan(StreamOptions options, int readAhead) {
        this.options = Objects.requireNonNull(options, "options");
        this.readAhead = readAhead;
    }

    /**
     * Plans one permit for each element.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param options the options of the stream
     * @return the plan
     */
    public static <T> LimiterPlan<T> of(RateLimiter limiter, StreamOptions options) {
        return new OneLimiterPlan<>(limiter, null, null, options);
    }

    /**
     * Plans one permit for each element, from a limiter that each subscription has to itself. It is made with the subscription, and
     * grants on the threads on which the stream goes on anyway. As no place in a queue has to be kept, the permit is taken after its
     * element has been delivered, also after a wait. So what downstream sees keeps the limit, however late the delivering thread is.
     *
     * @param <T> the type of the elements
     * @param limit the limit of the limiters
     * @param options the options of the stream
     * @return the plan
     */
    public static <T> GatePlan<T> own(Limit limit, StreamOptions options) {
        return new OwnLimiterPlan<>(limit, options);
    }

    /**
     * Plans as many permits as each element costs.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param cost computes the permits of an element; called once for each element, on arrival; zero passes without asking
     * @param options the options of the stream
     * @return the plan
     */
    public static <T> LimiterPlan<T> weighted(
            RateLimiter limiter, ToIntFunction<? super T> cost, StreamOptions options) {
        return new OneLimiterPlan<>(limiter, Objects.requireNonNull(cost, "permits"), null, options);
    }

    /**
     * Plans one permit for each element, from the limiter of its key. Elements of one key keep their order and wait for one
     * another; elements of different keys do not.
     *
     * @param <T> the type of the elements
     * @param <K> the type of the keys
     * @param limiters the limiters to ask, by key; called once for each element, on arrival
     * @param key computes the key of an element; called once for each element, on arrival
     * @param options the options of the stream
     * @return the plan
     */
    @SuppressWarnings("unchecked") // keys returned by one function are passed to the other
    public static <T, K> LimiterPlan<T> perKey(
            Function<? super K, ? extends RateLimiter> limiters,
            Function<? super T, ? extends K> key,
            StreamOptions options) {
        Objects.requireNonNull(limiters, "limiters");
        return new PerKeyPlan<>((Function<Object, ? extends RateLimiter>) (Function<?, ?>) limiters, key, options);
    }

    /**
     * Returns whether elements may be pulled from a fused source: each costs one permit, they go in order, and none is held
     * beyond the one whose permit is awaited.
     *
     * @return whether {@link ElementGate#startPulling} may be called
     */
    public final boolean allowsPulling() {
        return isPlain() && options.buffer() == 0 && options.order() == QueueOrder.OLDEST_FIRST;
    }

    /**
     * Returns the options of the stream.
     *
     * @return the options
     */
    public final StreamOptions options() {
        return options;
    }

    /**
     * Plans the same with other options.
     *
     * @param options the options of the stream
     * @return another plan
     */
    public abstract GatePlan<T> with(StreamOptions options);

    /**
     * Returns how many elements are requested from the source ahead.
     *
     * @return at least 1; {@link Integer#MAX_VALUE} for all
     */
    public final int prefetch() {
        return options.buffer() > 0 ? Integer.MAX_VALUE : options.prefetchOr(readAhead);
    }

    /**
     * Returns how many elements may be held.
     *
     * @return at least 1
     */
    public final int room() {
        return options.buffer() > 0 ? options.buffer() : options.prefetchOr(readAhead);
    }

    /**
     * Returns what to say if the source sends more elements than there is room for.
     *
     * @return the message of the error
     */
    public final String overflow() {
        return options.buffer() > 0
                ? "The buffer of " + options.buffer() + " elements is full: the source does not heed backpressure"
                : "The source sent more elements than were requested: one that does not heed backpressure"
                        + " needs StreamOptions.buffer(n)";
    }

    /**
     * Creates the gate of a subscription. After a wait the elements continue on the executor that the options give, or else on a
     * worker of the stream's own; those of an {@link #own} limiter where it grants.
     *
     * @param stream the stream in which the gate stands
     * @param threads the threads of the framework
     * @return the gate
     */
    public abstract ElementGate<T> newGate(GatedStream<T> stream, StreamThreads threads);

    /** Whether every element costs one permit of the same limiter. */
    abstract boolean isPlain();
}
