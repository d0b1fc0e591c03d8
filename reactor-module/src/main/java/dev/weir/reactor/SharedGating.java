package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.gate.GatePlan;
import dev.weir.stream.StreamOptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Gates by a given limiter: each element of a flux, the subscription of a mono. */
final class SharedGating<T> implements Gating<T> {

    private final Gating<T> elements;
    private final Gating<T> calls;

    SharedGating(RateLimiter limiter, StreamOptions options) {
        this.elements = new ElementGating<>(GatePlan.of(limiter, options));
        this.calls = new CallGating<>(limiter, options);
    }

    @Override
    public Flux<T> gate(Flux<T> source) {
        return elements.gate(source);
    }

    @Override
    public Mono<T> gate(Mono<T> source) {
        return calls.gate(source);
    }
}
