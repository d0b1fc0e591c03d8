package dev.weir.webflux;

import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Writes the responses to refused requests in a format of the application's own, instead of as the problem of RFC 9457 that is
 * written otherwise.
 */
@FunctionalInterface
public interface RefusalWriter {

    /**
     * Writes a response. It has its status, {@code Retry-After} and the header fields about limits already, which may be changed.
     * Called on the thread that processes the request, and must not block; not called if the response has been committed.
     *
     * @param exchange the exchange of the refused request
     * @param refusal the status; {@code Retry-After} as its only header, unless a retry would not help; and the problem that would
     *     be written otherwise, which may be changed, with the names of the limits that refused as its property {@code violated-policies}, a list of strings that is
     *     left out if there are none
     * @return completes when the response is written. An error leaves the response to what the application does with exceptions,
     *     such as a {@code ResponseStatusException} of that status: for annotated methods first to a {@code @ControllerAdvice} for
     *     all controllers, otherwise to the {@code WebExceptionHandler}s
     */
    Mono<Void> write(ServerWebExchange exchange, ErrorResponse refusal);
}
