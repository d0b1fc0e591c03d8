package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;

/** A mono whose subscription needs a permit. */
final class MonoCall<T> extends MonoOperator<T, T> {

    private final Supplier<RateLimiter> limiter;
    private final StreamOptions options;

    MonoCall(Mono<? extends T> source, Supplier<RateLimiter> limiter, StreamOptions options) {
        super(source);
        this.limiter = limiter;
        this.options = options;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        Beginning.of(
                actual,
                () -> new CallSubscriber<T>(source, actual, true, limiter.get(), options),
                CallSubscriber::enter);
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared
    public @Nullable Object scanUnsafe(Scannable.Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : super.scanUnsafe(key);
    }
}
