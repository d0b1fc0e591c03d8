package dev.weir.reactor;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** How a {@link RateLimit} gates the two kinds of streams. */
interface Gating<T> {

    Flux<T> gate(Flux<T> source);

    Mono<T> gate(Mono<T> source);
}
