package dev.weir.gate;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import dev.weir.time.TimeSource;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** A plan whose elements all need permits of the same limiter. */
final class OneLimiterPlan<T> extends LimiterPlan<T> {

    static final int READ_AHEAD = 1;

    private final RateLimiter limiter;

    /** Null if each element costs one permit. */
    private final @Nullable ToIntFunction<? super T> cost;

    /** The time source of a limiter that nobody else asks; null for others. */
    private final @Nullable TimeSource timeOfOwn;

    OneLimiterPlan(
            RateLimiter limiter,
            @Nullable ToIntFunction<? super T> cost,
            @Nullable TimeSource timeOfOwn,
            StreamOptions options) {
        super(options, READ_AHEAD);
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.cost = cost;
        this.timeOfOwn = timeOfOwn;
    }

    /** One permit for each element of the only stream that asks the limiter, which has that time source. */
    static <T> LimiterPlan<T> own(RateLimiter limiter, TimeSource time, StreamOptions options) {
        return new OneLimiterPlan<>(limiter, null, Objects.requireNonNull(time, "time"), options);
    }

    @Override
    public GatePlan<T> with(StreamOptions options) {
        return new OneLimiterPlan<>(limiter, cost, timeOfOwn, options);
    }

    @Override
    boolean hasKeys() {
        return false;
    }

    @Override
    boolean isPlain() {
        return cost == null;
    }

    @Override
    Object keyOf(T element) {
        return NO_KEY;
    }

    @Override
    RateLimiter limiterOf(Object key) {
        return limiter;
    }

    @Override
    int costOf(T element) {
        if (cost == null) {
            return 1;
        }
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

    @Override
    @Nullable
    DeferredPermits newDeferredPermits() {
        return timeOfOwn == null ? null : new DeferredPermits(limiter, timeOfOwn);
    }
}
