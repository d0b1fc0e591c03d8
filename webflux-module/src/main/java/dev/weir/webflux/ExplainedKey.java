package dev.weir.webflux;

import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * A key of which a client can be told what its request lacks.
 *
 * @param need what a request needs to have the key
 * @param key the key
 */
record ExplainedKey(String need, RequestKey key) implements RequestKey {

    /** Returns what a request needs to have a key; of a key of the user's own that is not known. */
    static String needOf(RequestKey key) {
        return key instanceof ExplainedKey explained ? explained.need : "a key to be counted by";
    }

    @Override
    public Mono<String> keyOf(ServerWebExchange exchange) {
        return key.keyOf(exchange);
    }
}
