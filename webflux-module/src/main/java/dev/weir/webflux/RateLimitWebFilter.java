package dev.weir.webflux;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPattern;
import reactor.core.publisher.Mono;

/**
 * Holds incoming requests against limits, before they are mapped to a handler. To be a bean, or one of the filters of a
 * {@code WebHttpHandlerBuilder}.
 *
 * <pre>{@code
 * PartitionedRateLimiter<String> perUser = PartitionedRateLimiter.of(Limit.of(10, ofSeconds(1)));
 * WebFilter filter = RateLimitWebFilter.builder().limit(RequestKey.principal(), perUser).paths("/api/**").build();
 * }</pre>
 *
 * <p>A refusal is 429 for want of quota, or 503 for want of room here, with {@code Retry-After} in seconds, rounded up, and a
 * problem of RFC 9457 that names the limit that refused. A request may wait instead, see
 * {@link RequestLimitsBuilder#waiting()}; when the client disconnects it leaves the queue, and the limiter is as if it had never
 * asked. Leases are closed when the response is over, so limits of concurrency work too.
 *
 * <p>A request whose permits are there goes on, on its own thread; one that had to wait, on {@code Schedulers.parallel()}.
 */
public final class RateLimitWebFilter implements WebFilter, Ordered {

    private final RequestLimits limits;
    private final Predicate<ServerWebExchange> concerns;
    private final int order;

    private RateLimitWebFilter(Builder settings) {
        this.limits = settings.limits();
        this.concerns = settings.concerns;
        this.order = settings.order;
    }

    /**
     * Starts a filter.
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
        if (!concerns.test(exchange)) {
            return chain.filter(exchange);
        }
        return limits.pass(exchange, new RequestLimits.Onward<Void>() {
            @Override
            public Mono<Void> go(Runnable end) {
                return chain.filter(exchange);
            }

            @Override
            public Mono<Void> refused(Refusal refusal) {
                return refusal.writeTo(exchange.getResponse());
            }
        });
    }

    /** Settings of a filter to be. */
    public static final class Builder extends RequestLimitsBuilder<Builder> {

        private Predicate<ServerWebExchange> concerns = exchange -> true;
        private int order;

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Concerns only requests for some paths.
         *
         * @param patterns in the syntax of {@link PathPattern}, with a slash at the beginning or without, of which one must match
         * @return this builder
         * @throws IllegalArgumentException if there is none, or one of them cannot be read
         */
        public Builder paths(String... patterns) {
            List<PathPattern> parsed = Paths.parse(patterns);
            if (parsed.isEmpty()) {
                throw new IllegalArgumentException("there must be at least 1 pattern, but there are 0");
            }
            return matching(exchange -> parsed.stream()
                    .anyMatch(pattern ->
                            pattern.matches(exchange.getRequest().getPath().pathWithinApplication())));
        }

        /**
         * Concerns only some requests, beside what was said before.
         *
         * @param requests which
         * @return this builder
         */
        public Builder matching(Predicate<ServerWebExchange> requests) {
            this.concerns = concerns.and(Objects.requireNonNull(requests, "requests"));
            return this;
        }

        /**
         * Sets the place among the filters. Spring Security's has -100: keys that are principals must come after it, those
         * that are addresses better before.
         *
         * @param place lower is earlier; unless set, 0
         * @return this builder
         */
        public Builder order(int place) {
            this.order = place;
            return this;
        }

        /**
         * Makes the filter.
         *
         * @return a filter
         * @throws IllegalArgumentException if there is no limit, or one of them twice
         */
        public RateLimitWebFilter build() {
            return new RateLimitWebFilter(this);
        }
    }
}
