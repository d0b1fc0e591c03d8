package dev.weir.webflux;

import dev.weir.RateLimiter;
import java.util.Objects;
import org.springframework.web.reactive.function.server.HandlerFilterFunction;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * Holds the requests of functional endpoints against limits: {@code route(...).filter(RateLimitHandlerFilter.with(limiter))}.
 * What is said of {@link RateLimitWebFilter} holds here too.
 */
public final class RateLimitHandlerFilter implements HandlerFilterFunction<ServerResponse, ServerResponse> {

    private final RequestLimits limits;

    private RateLimitHandlerFilter(RequestLimits limits) {
        this.limits = limits;
    }

    /**
     * Returns a filter that takes one permit for each request, and refuses those that would have to wait.
     *
     * @param limiter the limiter to ask
     * @return the filter
     */
    public static RateLimitHandlerFilter with(RateLimiter limiter) {
        return with(RequestLimits.builder().limit(limiter).build());
    }

    /**
     * Returns a filter.
     *
     * @param limits what requests are held against
     * @return the filter
     */
    public static RateLimitHandlerFilter with(RequestLimits limits) {
        return new RateLimitHandlerFilter(Objects.requireNonNull(limits, "limits"));
    }

    @Override
    public Mono<ServerResponse> filter(ServerRequest request, HandlerFunction<ServerResponse> next) {
        return limits.pass(request.exchange(), new RequestLimits.Onward<ServerResponse>() {
            @Override
            public Mono<ServerResponse> go(Runnable end) {
                return next.handle(request).map(response -> {
                    EndingResponse ending = new EndingResponse(response, end);
                    request.exchange().getResponse().beforeCommit(ending::endUnlessWritten);
                    return ending;
                });
            }

            @Override
            public Mono<ServerResponse> refused(Refusal refusal) {
                return ServerResponse.status(refusal.status())
                        .build((exchange, context) -> refusal.writeTo(exchange.getResponse()));
            }
        });
    }
}
