package dev.weir.webflux;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import java.util.Objects;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Finds the limiter that a request asks, by its key where there is one for each key. */
@FunctionalInterface
interface LimitSource {

    /** Stands for all requests without a key; no key that a request can have is empty. */
    String NO_KEY = "";

    /**
     * Finds the limiter.
     *
     * @return the limiter, or nothing if this limit is none of the request's; an error of {@link NoKeyException} if the request
     *     is to be refused
     */
    Mono<AskedLimit> limitOf(ServerWebExchange exchange);

    static LimitSource single(RateLimiter limiter, boolean protectsServer) {
        AskedLimit always = new AskedLimit(limiter, protectsServer);
        return exchange -> Mono.just(always);
    }

    static LimitSource perKey(PartitionedRateLimiter<String> limiters, RequestKey key, WithoutKey withoutKey) {
        return exchange -> ask(key, exchange)
                .map(BoundedKey::of)
                .switchIfEmpty(Mono.defer(() -> keyless(isPreFlight(exchange) ? WithoutKey.SKIP : withoutKey)))
                .map(found -> new AskedLimit(limiterFor(found, limiters), false));
    }

    private static RateLimiter limiterFor(String key, PartitionedRateLimiter<String> limiters) {
        try {
            return limiters.forKey(key);
        } catch (IllegalStateException closed) {
            throw new ClosedException();
        }
    }

    /** Asks a key of somebody's own, which may forget that no key is an empty answer and not none. Empty text is no key either. */
    static Mono<String> ask(RequestKey key, ServerWebExchange exchange) {
        Mono<String> answer = Objects.requireNonNull(
                key.keyOf(exchange), () -> "RequestKey " + key + " returned null: no key is an empty Mono");
        return answer.filter(found -> !found.isEmpty());
    }

    /** A browser sends those ahead without what tells who it is, and no handler is called for them. */
    private static boolean isPreFlight(ServerWebExchange exchange) {
        return CorsUtils.isPreFlightRequest(exchange.getRequest());
    }

    private static Mono<String> keyless(WithoutKey withoutKey) {
        return switch (withoutKey) {
            case SHARE -> Mono.just(NO_KEY);
            case SKIP -> Mono.empty();
            case REFUSE -> Mono.error(new NoKeyException());
        };
    }

    /** Says that a request without a key is refused. Never leaves this package. */
    final class NoKeyException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NoKeyException() {
            super("the request has no key", null, false, false);
        }
    }

    /** Says that a request costs more than a limit has, since that has changed. Never leaves this package. */
    final class TooLargeException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        final IllegalArgumentException complaint;

        TooLargeException(IllegalArgumentException complaint) {
            super(complaint.getMessage(), null, false, false);
            this.complaint = complaint;
        }
    }

    /** Says that a limit is closed, which an error of a handler never does. Never leaves this package. */
    final class ClosedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        ClosedException() {
            super("the limit is closed", null, false, false);
        }
    }
}
