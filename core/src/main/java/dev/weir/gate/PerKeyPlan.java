package dev.weir.gate;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A plan whose elements need one permit each, of the limiter of their key. */
final class PerKeyPlan<T> extends LimiterPlan<T> {

    private static final int READ_AHEAD = 256;

    private final Function<Object, ? extends RateLimiter> limiters;
    private final Function<? super T, ?> key;

    PerKeyPlan(Function<Object, ? extends RateLimiter> limiters, Function<? super T, ?> key, StreamOptions options) {
        super(options, READ_AHEAD);
        this.limiters = limiters;
        this.key = Objects.requireNonNull(key, "key");
    }

    @Override
    public GatePlan<T> with(StreamOptions options) {
        return new PerKeyPlan<>(limiters, key, options);
    }

    @Override
    boolean hasKeys() {
        return true;
    }

    @Override
    boolean isPlain() {
        return false;
    }

    @Override
    Object keyOf(T element) {
        return Objects.requireNonNull(key.apply(element), "The key function returned null");
    }

    @Override
    RateLimiter limiterOf(Object key) {
        return Objects.requireNonNull(limiters.apply(key), "There is no limiter for the key");
    }

    @Override
    int costOf(T element) {
        return 1;
    }

    @Override
    @Nullable
    DeferredPermits newDeferredPermits() {
        return null;
    }
}
