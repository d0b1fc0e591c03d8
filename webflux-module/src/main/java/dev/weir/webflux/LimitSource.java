package dev.weir.webflux;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import java.util.List;
import java.util.Objects;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Finds the limiter for a request, by the request's key if there is a limiter for each key. */
@FunctionalInterface
interface LimitSource {

    /** The key of all requests without a key; a real key is never empty. */
    String NO_KEY = "";

    /** What is found for a request: a limiter to ask, or that it is refused without asking any. */
    sealed interface Found permits AskedLimit, Refusal {}

    /**
     * Finds the limiter.
     *
     * @return what is found; empty if this limit does not apply to the request
     */
    Mono<Found> limitOf(ServerWebExchange exchange);

    static LimitSource single(RateLimiter limiter, boolean protectsServer) {
        AskedLimit always = new AskedLimit(limiter, protectsServer);
        return exchange -> Mono.just(always);
    }

    static LimitSource perKey(PartitionedRateLimiter<String> limiters, RequestKey key, WithoutKey withoutKey) {
        return exchange -> ask(key, exchange)
                .map(found -> limiterFor(BoundedKey.of(found), limiters))
                .switchIfEmpty(
                        Mono.defer(() -> keyless(limiters, key, isPreFlight(exchange) ? WithoutKey.SKIP : withoutKey)));
    }

    private static Found limiterFor(String key, PartitionedRateLimiter<String> limiters) {
        try {
            return new AskedLimit(limiters.forKey(key), false);
        } catch (IllegalStateException closed) {
            // Or the user's limit function has thrown it, which cannot be told apart: so it is reported.
            Operators.onErrorDropped(closed, Context.empty());
            return Refusal.closed(List.of());
        }
    }

    /** Asks a user's key function, which might wrongly return null instead of an empty Mono. An empty string is no key either. */
    static Mono<String> ask(RequestKey key, ServerWebExchange exchange) {
        Mono<String> answer = Objects.requireNonNull(
                key.keyOf(exchange), () -> "RequestKey " + key + " returned null: no key is an empty Mono");
        return answer.filter(found -> !found.isEmpty());
    }

    /** Returns whether this is a CORS pre-flight request, which browsers send without credentials and no handler is called for. */
    private static boolean isPreFlight(ServerWebExchange exchange) {
        return CorsUtils.isPreFlightRequest(exchange.getRequest());
    }

    private static Mono<Found> keyless(PartitionedRateLimiter<String> limiters, RequestKey key, WithoutKey withoutKey) {
        return switch (withoutKey) {
            case SHARE -> Mono.just(limiterFor(NO_KEY, limiters));
            case SKIP -> Mono.empty();
            case REFUSE -> Mono.just(Refusal.without(ExplainedKey.needOf(key)));
        };
    }
}
