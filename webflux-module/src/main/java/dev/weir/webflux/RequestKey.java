package dev.weir.webflux;

import java.security.Principal;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/**
 * Determines the key under which a request is counted, such as its user. Called for each request, on its thread; must not block.
 *
 * <p>Keys may have any length: those of more than 64 characters are hashed (SHA-256) before they are kept, see {@link #kept}.
 */
@FunctionalInterface
public interface RequestKey {

    /**
     * Determines the key of a request.
     *
     * @param exchange the request
     * @return the key; empty if the request has none, never null
     */
    Mono<String> keyOf(ServerWebExchange exchange);

    /**
     * Returns the key that is the name of the authenticated principal. A request has no key if its principal has no name, such as
     * that of a token without a subject. The filter must come after the one that authenticates. With {@code anonymous()} of Spring
     * Security, which is off by default in WebFlux, all users that are not authenticated are one principal, and so have one key.
     *
     * @return the key
     */
    static RequestKey principal() {
        return new ExplainedKey(
                "an authenticated user", exchange -> exchange.getPrincipal().mapNotNull(Principal::getName));
    }

    /**
     * Returns the key that is the first value of a header field. The client chooses that value: use this only for fields that
     * have been verified before, or together with a limit by address.
     *
     * @param name of the field
     * @return the key
     */
    static RequestKey header(String name) {
        Objects.requireNonNull(name, "name");
        return new ExplainedKey(
                "the header field " + name,
                exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst(name)));
    }

    /**
     * Returns the key that is the pattern of the route to which the request was mapped. It is available after mapping, that is in
     * {@link RateLimitHandlerFilter} and for {@link RateLimited}; in a {@link RateLimitWebFilter} use {@link #path}.
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
     * Returns the key that is the first of the given patterns that matches the path of the request.
     *
     * @param patterns in the syntax of {@link PathPattern}, with or without a leading slash
     * @return the key; there are no more different keys than patterns
     * @throws IllegalArgumentException if there is no pattern, or one of them is blank or cannot be parsed
     */
    static RequestKey path(String... patterns) {
        return path(PathPatternParser.defaultInstance, patterns);
    }

    /**
     * Returns the key that is the first of the given patterns that matches the path of the request, as the given parser says.
     *
     * @param parser that of the application's handler mappings, if these do not match as Spring's do by default
     * @param patterns in the syntax of {@link PathPattern}, with or without a leading slash
     * @return the key; there are no more different keys than patterns
     * @throws IllegalArgumentException if there is no pattern, or one of them is blank or cannot be parsed
     */
    static RequestKey path(PathPatternParser parser, String... patterns) {
        List<PathPattern> parsed = Paths.parse(parser, patterns);
        return exchange ->
                Mono.justOrEmpty(Paths.matching(exchange, parsed).findFirst().map(PathPattern::getPatternString));
    }

    /**
     * Returns the key that combines this key and another one. Its text is the length of the first, a colon, the first and the
     * second: {@code 3:ada/search} for {@code ada} and {@code /search}.
     *
     * @param other the other key
     * @return the key; a request that lacks one of the two has none
     */
    default RequestKey and(RequestKey other) {
        Objects.requireNonNull(other, "other");
        return new ExplainedKey(
                ExplainedKey.needOf(this) + " and " + ExplainedKey.needOf(other),
                exchange -> LimitSource.ask(this, exchange)
                        .flatMap(first ->
                                LimitSource.ask(other, exchange).map(second -> first.length() + ":" + first + second)));
    }

    /**
     * Returns the form in which a key is kept, under which a {@code PartitionedRateLimiter} finds its limiter: {@code
     * perUser.forKey(RequestKey.kept(user)).charge(5)} charges the limiter that the requests of that user ask.
     *
     * @param key a key of a request; an empty one stands for requests without a key
     * @return the key itself, if it has no more than 64 characters; otherwise its hash
     */
    static String kept(String key) {
        return BoundedKey.of(Objects.requireNonNull(key, "key"));
    }
}
