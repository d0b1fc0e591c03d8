package dev.weir.webflux;

import dev.weir.RateLimiter;
import java.util.Objects;
import org.springframework.web.reactive.function.server.HandlerFilterFunction;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * Applies limits to the requests of functional endpoints: {@code route(...).filter(RateLimitHandlerFilter.with(limiter))}.
 * Refusals, waiting, leases and threads are as described in {@link RateLimitWebFilter}.
 *
 * <p>Make it the outermost filter of its route, or declare a bean of {@link RateLimitedHandlerAdapter}, as the starters do, which
 * observes the end of each exchange. Otherwise, where a filter further out holds a response back by an operator that does not tell
 * where it came from that it was cancelled ({@code delayElement}, {@code zipWith}, {@code cache}), nobody hears that a client has
 * gone meanwhile, and the lease is never closed.
 */
public final class RateLimitHandlerFilter implements HandlerFilterFunction<ServerResponse, ServerResponse> {

    private final RequestLimits limits;

    private RateLimitHandlerFilter(RequestLimits limits) {
        this.limits = limits;
    }

    /**
     * Returns a filter that takes one permit for each request, and refuses requests that would have to wait for it. If the permits
     * are kept in a store that has to be asked first, a request waits for its answer, at most twice the deadline of the store.
     *
     * @param limiter the limiter to ask
     * @return the filter
     */
    public static RateLimitHandlerFilter with(RateLimiter limiter) {
        return with(RequestLimits.builder().limit(limiter).build());
    }

    /**
     * Returns a filter that applies the given limits.
     *
     * @param limits the limits to apply to each request
     * @return the filter
     */
    public static RateLimitHandlerFilter with(RequestLimits limits) {
        return new RateLimitHandlerFilter(Objects.requireNonNull(limits, "limits"));
    }

    @Override
    public Mono<ServerResponse> filter(ServerRequest request, HandlerFunction<ServerResponse> next) {
        ExchangeEnd observed = ExchangeEnd.of(request.exchange()); // now: it may be over when the permits are there
        return limits.pass(request.exchange(), new RequestLimits.Onward<ServerResponse>() {
            @Override
            public Mono<ServerResponse> go(Runnable end) {
                if (observed != null) {
                    observed.add(end);
                }
                return next.handle(request).map(response -> {
                    EndingResponse ending = EndingResponse.of(response, end);
                    request.exchange().getResponse().beforeCommit(ending::endUnlessWritten);
                    return ending;
                });
            }

            @Override
            public Mono<ServerResponse> refused(Refusal refusal) {
                return ServerResponse.status(refusal.status())
                        .build((exchange, context) -> limits.write(refusal, exchange));
            }
        });
    }
}
