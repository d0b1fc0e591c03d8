package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Gates the subscription of any stream. */
final class CallGating<T> implements Gating<T> {

    private final RateLimiter limiter;
    private final StreamOptions options;

    CallGating(RateLimiter limiter, StreamOptions options) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.options = Objects.requireNonNull(options, "options");
    }

    @Override
    public Flux<T> gate(Flux<T> source) {
        return new FluxRateLimit<>(source, new CallSubscribing<>(() -> limiter, options, false));
    }

    @Override
    public Mono<T> gate(Mono<T> source) {
        return new MonoRateLimit<>(source, new CallSubscribing<>(() -> limiter, options, true));
    }
}
