package dev.weir.spring;

import dev.weir.webflux.RateLimitWebFilter;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** The filters of several rules, one after the other. */
final class RuleFilter implements WebFilter, Ordered {

    /** Before Spring Security, which has -100. */
    static final int EARLY = -200;

    /** After it. */
    static final int LATE = -50;

    private final List<RateLimitWebFilter> rules;
    private final int order;

    RuleFilter(List<RateLimitWebFilter> rules, int order) {
        this.rules = rules;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        return from(0, chain).filter(exchange);
    }

    private WebFilterChain from(int rule, WebFilterChain chain) {
        return rule == rules.size() ? chain : exchange -> rules.get(rule).filter(exchange, from(rule + 1, chain));
    }
}
