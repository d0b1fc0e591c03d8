package dev.weir.spring;

import dev.weir.webflux.RateLimitWebFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * A filter that applies the filters of all rules that work at one place, in their order.
 *
 * <p>An actuator on a port of its own has a child context of the application's, which also finds the filters of its parent. The
 * rules do not apply to its requests: refused health probes would make the platform restart the application just when it is under
 * load.
 */
final class RuleFilter implements WebFilter, Ordered {

    private final List<RateLimitWebFilter> rules;
    private final int order;
    private final ApplicationContext application;

    RuleFilter(HttpRules rules, RulePlace place, ApplicationContext application) {
        this.rules = rules.filters(place);
        this.order = place.order;
        this.application = application;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        return isBeneath(exchange.getApplicationContext())
                ? chain.filter(exchange)
                : from(0, chain).filter(exchange);
    }

    private boolean isBeneath(@Nullable ApplicationContext asked) {
        return asked != null && asked.getParent() == application;
    }

    private WebFilterChain from(int rule, WebFilterChain chain) {
        return rule == rules.size() ? chain : exchange -> rules.get(rule).filter(exchange, from(rule + 1, chain));
    }
}
