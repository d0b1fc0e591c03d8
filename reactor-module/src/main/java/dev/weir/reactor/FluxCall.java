package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;

/** A flux whose subscription needs a permit. */
final class FluxCall<T> extends FluxOperator<T, T> {

    private final RateLimiter limiter;
    private final StreamOptions options;

    FluxCall(Flux<? extends T> source, RateLimiter limiter, StreamOptions options) {
        super(source);
        this.limiter = limiter;
        this.options = options;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        Beginning.of(
                actual, () -> new CallSubscriber<T>(source, actual, false, limiter, options), CallSubscriber::enter);
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Scannable.Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : super.scanUnsafe(key);
    }
}
