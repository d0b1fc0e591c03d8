package dev.weir.webflux;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/**
 * Applies limits to incoming requests, before they are mapped to a handler. Declare it as a bean, or add it to the filters of a
 * {@code WebHttpHandlerBuilder}.
 *
 * <pre>{@code
 * PartitionedRateLimiter<String> perUser = PartitionedRateLimiter.of(Limit.of(10, ofSeconds(1)));
 * WebFilter filter = RateLimitWebFilter.builder().limit(RequestKey.principal(), perUser).paths("/api/**").build();
 * }</pre>
 *
 * <p>A refused request is answered with 429 if a quota is exceeded, or 503 if a limit that protects this server refuses or any
 * limit is closed or its backend unavailable, with {@code Retry-After} in whole seconds, rounded up, and an RFC 9457 problem that
 * names the limit that refused, or what a {@link RefusalWriter} writes. A request may wait instead, see {@link RequestLimitsBuilder#waiting()}; if the client disconnects,
 * its request leaves the queue and takes no permits. Leases are closed when the response ends, so concurrency limits work too.
 *
 * <p>A request that is granted at once continues on the calling thread; one that had to wait, on {@code Schedulers.parallel()}.
 */
public final class RateLimitWebFilter implements WebFilter, Ordered {

    private final RequestLimits limits;
    private final List<PathPattern> paths;
    private final Predicate<ServerWebExchange> requests;
    private final int order;

    private RateLimitWebFilter(Builder settings) {
        this.limits = settings.limits();
        this.paths = List.copyOf(settings.patterns);
        this.requests = settings.requests;
        this.order = settings.order;
    }

    /**
     * Returns a builder without limits, for a filter of all requests.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (!concerns(exchange)) {
            return chain.filter(exchange);
        }
        return limits.pass(exchange, new RequestLimits.Onward<Void>() {
            @Override
            public Mono<Void> go(Runnable end) {
                return chain.filter(exchange);
            }

            @Override
            public Mono<Void> refused(Refusal refusal) {
                nameForMetrics(exchange);
                return limits.write(refusal, exchange);
            }
        });
    }

    private boolean concerns(ServerWebExchange exchange) {
        return (paths.isEmpty() || Paths.matching(exchange, paths).findAny().isPresent()) && requests.test(exchange);
    }

    /** Names a refused request by the pattern of this filter: Spring names requests by that of their handler, which it has not got. */
    private void nameForMetrics(ServerWebExchange exchange) {
        ServerRequestObservationContext.findCurrent(exchange.getAttributes())
                .filter(observed -> observed.getPathPattern() == null)
                .ifPresent(observed -> Paths.matching(exchange, paths)
                        .findFirst()
                        .map(PathPattern::getPatternString)
                        .ifPresent(observed::setPathPattern));
    }

    /** Builder of a filter. */
    public static final class Builder extends RequestLimitsBuilder<Builder> {

        private final List<PathPattern> patterns = new ArrayList<>();
        private Predicate<ServerWebExchange> requests = exchange -> true;
        private int order;

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Restricts the filter to requests for some paths, which match as with Spring's handler mappings by default. If the
         * application configures its mappings otherwise, as to ignore case, use {@link #paths(PathPatternParser, String...)}.
         * Paths of several calls add up.
         *
         * @param patterns patterns of which one must match, in the syntax of {@link PathPattern}, with or without a leading slash
         * @return this builder
         * @throws IllegalArgumentException if there is no pattern, or one of them is blank or cannot be parsed
         */
        public Builder paths(String... patterns) {
            return paths(PathPatternParser.defaultInstance, patterns);
        }

        /**
         * Restricts the filter to requests for some paths, which match as the given parser says. Paths of several calls add up.
         *
         * @param parser that of the application's handler mappings, such as {@code RequestMappingHandlerMapping}: with another one,
         *     requests might reach a handler by paths that the filter does not apply to
         * @param patterns patterns of which one must match, in the syntax of {@link PathPattern}, with or without a leading slash
         * @return this builder
         * @throws IllegalArgumentException if there is no pattern, or one of them is blank or cannot be parsed
         */
        public Builder paths(PathPatternParser parser, String... patterns) {
            this.patterns.addAll(Paths.parse(parser, patterns));
            return this;
        }

        /**
         * Restricts the filter to some requests, in addition to all other restrictions.
         *
         * @param requests returns whether the filter applies to a request; not called for a path that it does not apply to
         * @return this builder
         */
        public Builder matching(Predicate<ServerWebExchange> requests) {
            this.requests = this.requests.and(Objects.requireNonNull(requests, "requests"));
            return this;
        }

        /**
         * Sets the order among the filters. Spring Security's filter has -100: a limit by principal must come after it, a limit
         * by address better before.
         *
         * @param place lower is earlier; default 0
         * @return this builder
         */
        public Builder order(int place) {
            this.order = place;
            return this;
        }

        /**
         * Builds the filter.
         *
         * @return a filter
         * @throws IllegalArgumentException if no limit has been added, or the same limiter twice
         */
        public RateLimitWebFilter build() {
            return new RateLimitWebFilter(this);
        }
    }
}
