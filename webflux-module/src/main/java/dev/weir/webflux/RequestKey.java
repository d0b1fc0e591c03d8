package dev.weir.webflux;

import java.security.Principal;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.pattern.PathPattern;
import reactor.core.publisher.Mono;

/**
 * Who a request counts for. Called for each request, on the thread that brings it; it must not block.
 *
 * <p>Keys may be as long as their maker lets them: those of more than 64 characters are hashed (SHA-256) before they are kept.
 */
@FunctionalInterface
public interface RequestKey {

    /**
     * Finds the key.
     *
     * @param exchange the request
     * @return the key; empty when the request has none
     */
    Mono<String> keyOf(ServerWebExchange exchange);

    /**
     * Returns the key that is the name of the authenticated principal; one without a name, as that of a token without a subject, is
     * no key. The filter must come after the one that authenticates.
     *
     * @return the key
     */
    static RequestKey principal() {
        return exchange -> exchange.getPrincipal().mapNotNull(Principal::getName);
    }

    /**
     * Returns the key that is the first value of a header field. The client decides what it says: only for fields that
     * something else has checked before, or together with a limit by address.
     *
     * @param name of the field
     * @return the key
     */
    static RequestKey header(String name) {
        Objects.requireNonNull(name, "name");
        return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst(name));
    }

    /**
     * Returns the key that is the pattern of the route which the request was mapped to. Known once it is mapped, that is in
     * {@link RateLimitHandlerFilter} and for {@link RateLimited}; a {@link RateLimitWebFilter} needs {@link #path}.
     *
     * @return the key
     */
    static RequestKey route() {
        return exchange -> Mono.justOrEmpty(Stream.of(
                                RouterFunctions.MATCHING_PATTERN_ATTRIBUTE,
                                HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE)
                        .map(exchange::<Object>getAttribute)
                        .filter(Objects::nonNull)
                        .findFirst())
                .map(Object::toString);
    }

    /**
     * Returns the key that is the first of some patterns which the path of the request matches.
     *
     * @param patterns in the syntax of {@link PathPattern}, with a slash at the beginning or without
     * @return the key; there are no more keys than patterns
     */
    static RequestKey path(String... patterns) {
        List<PathPattern> parsed = Paths.parse(patterns);
        return exchange -> Mono.justOrEmpty(parsed.stream()
                .filter(pattern ->
                        pattern.matches(exchange.getRequest().getPath().pathWithinApplication()))
                .findFirst()
                .map(PathPattern::getPatternString));
    }

    /**
     * Returns the key that consists of this one and another one.
     *
     * @param other the other one
     * @return the key; a request without one of the two has none
     */
    default RequestKey and(RequestKey other) {
        Objects.requireNonNull(other, "other");
        return exchange -> LimitSource.ask(this, exchange)
                .flatMap(
                        first -> LimitSource.ask(other, exchange).map(second -> first.length() + ":" + first + second));
    }
}
