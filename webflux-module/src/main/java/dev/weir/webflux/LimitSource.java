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

    /**
     * Finds the limiter.
     *
     * @return the limiter; empty if this limit does not apply to the request; an error of {@link RefusedException} if the
     *     request is to be refused
     */
    Mono<AskedLimit> limitOf(ServerWebExchange exchange);

    static LimitSource single(RateLimiter limiter, boolean protectsServer) {
        AskedLimit always = new AskedLimit(limiter, protectsServer);
        return exchange -> Mono.just(always);
    }

    static LimitSource perKey(PartitionedRateLimiter<String> limiters, RequestKey key, WithoutKey withoutKey) {
        return exchange -> ask(key, exchange)
                .map(BoundedKey::of)
                .switchIfEmpty(Mono.defer(() -> keyless(key, isPreFlight(exchange) ? WithoutKey.SKIP : withoutKey)))
                .map(found -> new AskedLimit(limiterFor(found, limiters), false));
    }

    private static RateLimiter limiterFor(String key, PartitionedRateLimiter<String> limiters) {
        try {
            return limiters.forKey(key);
        } catch (IllegalStateException closed) {
            // Or the user's limit function has thrown it, which cannot be told apart: so it is reported.
            Operators.onErrorDropped(closed, Context.empty());
            throw new RefusedException(Refusal.closed(List.of()));
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

    private static Mono<String> keyless(RequestKey key, WithoutKey withoutKey) {
        return switch (withoutKey) {
            case SHARE -> Mono.just(NO_KEY);
            case SKIP -> Mono.empty();
            case REFUSE -> Mono.error(new RefusedException(Refusal.without(ExplainedKey.needOf(key))));
        };
    }

    /** Signals a refusal without a limiter to ask, distinguishable from any error of a handler. Never leaves this package. */
    final class RefusedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient Refusal refusal;

        RefusedException(Refusal refusal) {
            super("the request is refused", null, false, false);
            this.refusal = refusal;
        }

        Refusal refusal() {
            return refusal;
        }
    }
}
