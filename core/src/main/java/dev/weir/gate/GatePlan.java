package dev.weir.gate;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import dev.weir.time.TimeSource;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a gate: which limiter to ask, for how many permits, and the options of the stream. Immutable; one plan
 * serves any number of subscriptions.
 *
 * @param <T> the type of the elements
 */
public final class GatePlan<T> {

    /** What a stream without a buffer fails with if its source sends more elements than were requested. */
    public static final String OVERRUN =
            "The source sent more elements than were requested: one that does not heed backpressure"
                    + " needs StreamOptions.buffer(n)";

    private static final int KEYED_PREFETCH = 256;

    private final @Nullable RateLimiter limiter;
    private final @Nullable ToIntFunction<? super T> cost;
    private final @Nullable Function<? super T, ?> key;
    private final @Nullable Function<Object, ? extends RateLimiter> limiterOfKey;
    private final @Nullable TimeSource timeOfOwn;
    private final StreamOptions options;

    private GatePlan(
            @Nullable RateLimiter limiter,
            @Nullable ToIntFunction<? super T> cost,
            @Nullable Function<? super T, ?> key,
            @Nullable Function<Object, ? extends RateLimiter> limiterOfKey,
            @Nullable TimeSource timeOfOwn,
            StreamOptions options) {
        this.limiter = limiter;
        this.cost = cost;
        this.key = key;
        this.limiterOfKey = limiterOfKey;
        this.timeOfOwn = timeOfOwn;
        this.options = Objects.requireNonNull(options, "options");
    }

    /**
     * Plans one permit for each element.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param options the options of the stream
     * @return the plan
     */
    public static <T> GatePlan<T> of(RateLimiter limiter, StreamOptions options) {
        return new GatePlan<>(Objects.requireNonNull(limiter, "limiter"), null, null, null, null, options);
    }

    /**
     * Plans one permit for each element of one subscription, from a limiter that nobody else asks. As no place in a queue has to
     * be kept, the permit is taken after its element has been delivered, also after a wait. So what downstream sees keeps the
     * limit, however late the delivering thread is.
     *
     * @param <T> the type of the elements
     * @param limit the limit of the limiter, which is made for this plan
     * @param time the time source of the limiter
     * @param options the options of the stream
     * @return the plan
     */
    public static <T> GatePlan<T> own(Limit limit, TimeSource time, StreamOptions options) {
        return own(RateLimiter.builder(limit).timeSource(time).build(), time, options);
    }

    /** The same with a given limiter, which must have that time source and no other users. */
    static <T> GatePlan<T> own(RateLimiter limiter, TimeSource time, StreamOptions options) {
        return new GatePlan<>(
                Objects.requireNonNull(limiter, "limiter"),
                null,
                null,
                null,
                Objects.requireNonNull(time, "time"),
                options);
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
    public static <T> GatePlan<T> weighted(RateLimiter limiter, ToIntFunction<? super T> cost, StreamOptions options) {
        return new GatePlan<>(
                Objects.requireNonNull(limiter, "limiter"),
                Objects.requireNonNull(cost, "permits"),
                null,
                null,
                null,
                options);
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
    public static <T, K> GatePlan<T> perKey(
            Function<? super K, ? extends RateLimiter> limiters,
            Function<? super T, ? extends K> key,
            StreamOptions options) {
        Objects.requireNonNull(limiters, "limiters");
        return new GatePlan<>(
                null,
                null,
                Objects.requireNonNull(key, "key"),
                (Function<Object, ? extends RateLimiter>) (Function<?, ?>) limiters,
                null,
                options);
    }

    /**
     * Returns whether elements may be pulled from a fused source: each costs one permit, they go in order, and none is held
     * beyond the one whose permit is awaited.
     *
     * @return whether {@link ElementGate#startPulling} may be called
     */
    public boolean allowsPulling() {
        return isPlain() && options.buffer() == 0 && options.order() == QueueOrder.OLDEST_FIRST;
    }

    /** The time source of a limiter that nobody else asks; null for others. */
    @Nullable
    TimeSource timeOfOwn() {
        return timeOfOwn;
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
     * Returns how many elements are requested from the source ahead.
     *
     * @return at least 1; {@link Integer#MAX_VALUE} for all
     */
    public int prefetch() {
        return options.buffer() > 0 ? Integer.MAX_VALUE : room();
    }

    /**
     * Returns how many elements may be held.
     *
     * @return at least 1
     */
    public int room() {
        if (options.buffer() > 0) {
            return options.buffer();
        }
        return options.prefetchOr(key == null ? 1 : KEYED_PREFETCH);
    }

    boolean rejectsWhenFull() {
        return options.buffer() > 0 && options.whenFull() == WhenFull.REJECT_NEW;
    }

    Intake newIntake() {
        return options.buffer() > 0 ? Intake.once() : Intake.ahead(room(), key != null);
    }

    Lanes<T> newLanes(Losses<T> losses) {
        boolean evicts = options.buffer() > 0 && options.whenFull() == WhenFull.EVICT_OLDEST;
        boolean newestFirst = options.order() == QueueOrder.NEWEST_FIRST && room() > 1;
        return limiter == null || evicts || newestFirst
                ? new HeldLanes<>(room(), newestFirst, evicts, losses::drop)
                : new FifoLanes<>(limiter, room());
    }

    /** The limiter of every element, if there is only one. */
    RateLimiter onlyLimiter() {
        return Objects.requireNonNull(limiter, "limiter");
    }

    /** Whether every element costs one permit of the same limiter. */
    boolean isPlain() {
        return cost == null && key == null;
    }

    @Nullable
    Object keyOf(T element) {
        return key == null ? null : Objects.requireNonNull(key.apply(element), "The key function returned null");
    }

    RateLimiter limiterOf(@Nullable Object key) {
        if (limiterOfKey == null || key == null) {
            return onlyLimiter();
        }
        return Objects.requireNonNull(limiterOfKey.apply(key), "There is no limiter for the key");
    }

    int costOf(T element) {
        if (cost == null) {
            return 1;
        }
        RateLimiter limiter = onlyLimiter();
        int permits = cost.applyAsInt(element);
        if (permits < 0) {
            throw new IllegalArgumentException(
                    "The cost of an element under " + limiter.limit() + " must not be negative, but is " + permits);
        }
        if (permits > limiter.limit().capacity()) {
            throw new IllegalArgumentException(
                    "The cost of an element, " + permits + ", is more than " + limiter.limit() + " can ever grant");
        }
        return permits;
    }
}
