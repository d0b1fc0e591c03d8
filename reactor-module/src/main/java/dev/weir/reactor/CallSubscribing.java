package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import java.util.function.Supplier;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;

/**
 * Subscribes the source of a gated call once its permit is granted.
 *
 * @param limiter returns the limiter of a subscription
 * @param options the options of the stream
 * @param endsWithFirst whether the first element ends the call, as that of a mono does
 */
record CallSubscribing<T>(Supplier<RateLimiter> limiter, StreamOptions options, boolean endsWithFirst)
        implements Subscribing<T> {

    @Override
    public Runnable prepare(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        CallSubscriber<T> call = new CallSubscriber<>(source, actual, endsWithFirst, limiter.get(), options);
        return call::enter;
    }
}
