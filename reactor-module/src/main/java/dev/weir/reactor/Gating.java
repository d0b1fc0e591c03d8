package dev.weir.reactor;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a {@link RateLimit} does to the two kinds of streams. */
interface Gating<T> {

    Flux<T> gate(Flux<T> source);

    Mono<T> gate(Mono<T> source);
}
