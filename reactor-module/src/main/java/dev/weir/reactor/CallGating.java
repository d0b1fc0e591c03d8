package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import java.util.function.Supplier;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * Gates the subscription: the source is subscribed once its permit is granted.
 *
 * @param limiter returns the limiter of a subscription
 * @param options the options of the stream
 */
record CallGating<T>(Supplier<RateLimiter> limiter, StreamOptions options) implements Gating<T> {

    /** Gates by a given limiter. */
    static <T> CallGating<T> by(RateLimiter limiter, StreamOptions options) {
        Objects.requireNonNull(limiter, "limiter");
        return new CallGating<>(() -> limiter, Objects.requireNonNull(options, "options"));
    }

    @Override
    public Runnable prepare(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        boolean endsWithFirst = source instanceof Mono;
        CallSubscriber<T> call =
                new CallSubscriber<>(lease -> source, actual, endsWithFirst, limiter.get(), 1, options);
        return call::enter;
    }
}
