package dev.weir.reactor;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * Calls a function with a lease, and subscribes to what it returns. The source it is applied to is only there because an operator
 * has one: it is never subscribed.
 *
 * @param limiter the limiter of all subscriptions
 * @param permits how many permits each asks for
 * @param options the options of the stream
 * @param call makes the call; fails, if it does, when that is subscribed
 */
record LeaseGating<T>(
        RateLimiter limiter, int permits, StreamOptions options, Function<Lease, ? extends CorePublisher<T>> call)
        implements Gating<T> {

    LeaseGating {
        Objects.requireNonNull(limiter, "limiter");
        Objects.requireNonNull(options, "options");
    }

    @Override
    public Runnable prepare(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        boolean endsWithFirst = source instanceof Mono;
        CallSubscriber<T> subscriber = new CallSubscriber<>(call, actual, endsWithFirst, limiter, permits, options);
        return subscriber::enter;
    }
}
