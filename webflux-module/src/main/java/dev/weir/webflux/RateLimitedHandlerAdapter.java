package dev.weir.webflux;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Applies limits to the requests of handler methods with {@link RateLimited}, by wrapping the adapter that calls the methods. A
 * bean of this type is used both as a handler adapter and as a web filter, which observes the end of each response. Declare it by
 * this type: where a method that makes the bean returns {@code WebFilter}, Spring does not find the adapter, and nothing is limited.
 *
 * <p>Refusals, waiting, leases and threads are as described in {@link RateLimitWebFilter}. But if a method is called for an exchange
 * that this filter does not observe, as when a filter before it or a {@code WebExceptionHandler} has an error answered by a
 * {@code DispatcherHandler}, the lease ends as soon as the method has returned, before what it returns is subscribed. To keep it until
 * the response is over, call {@code filter(exchange, dispatcherHandler::handle)} of this instead.
 */
public final class RateLimitedHandlerAdapter implements HandlerAdapter, WebFilter, Ordered {

    private final HandlerAdapter methods;
    private final Map<String, RequestLimits> limits;

    private final Map<Place, Optional<RequestLimits>> known = new ConcurrentHashMap<>();

    /** Where an annotation may be. The number is bounded by the code of the application, however many beans come and go. */
    private record Place(Class<?> type, Method method) {}

    private RateLimitedHandlerAdapter(HandlerAdapter methods, Map<String, RequestLimits> limits) {
        this.methods = methods;
        this.limits = limits;
    }

    /**
     * Returns an adapter that applies limits before the given adapter calls a method.
     *
     * @param methods the adapter that calls handler methods: the bean of type {@code RequestMappingHandlerAdapter}
     * @param limits the limits by the name that {@link RateLimited} refers to
     * @return the adapter
     */
    public static RateLimitedHandlerAdapter before(HandlerAdapter methods, Map<String, RequestLimits> limits) {
        return new RateLimitedHandlerAdapter(
                Objects.requireNonNull(methods, "methods"), Map.copyOf(Objects.requireNonNull(limits, "limits")));
    }

    /**
     * Checks the annotation of a handler method, so that a wrong name is detected at start-up and not by the first request.
     *
     * @param method any handler method
     * @throws IllegalArgumentException if its annotation names unknown limits
     */
    public void check(HandlerMethod method) {
        find(method);
    }

    private Optional<RequestLimits> find(HandlerMethod method) {
        RateLimited onMethod = method.getMethodAnnotation(RateLimited.class);
        RateLimited said = onMethod != null
                ? onMethod
                : AnnotatedElementUtils.findMergedAnnotation(method.getBeanType(), RateLimited.class);
        if (said != null && !limits.containsKey(said.value())) {
            throw new IllegalArgumentException("@RateLimited(\"" + said.value() + "\") on " + method
                    + " names no limits: known are " + limits.keySet());
        }
        return Optional.ofNullable(said).map(RateLimited::value).map(limits::get);
    }

    private Optional<RequestLimits> limitsOf(HandlerMethod method) {
        return known.computeIfAbsent(new Place(method.getBeanType(), method.getMethod()), place -> find(method));
    }

    @Override
    public int getOrder() {
        return 0;
    }

    @Override
    public boolean supports(Object handler) {
        return handler instanceof HandlerMethod method
                && methods.supports(handler)
                && limitsOf(method).isPresent();
    }

    @Override
    public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
        HandlerMethod method = (HandlerMethod) handler;
        RequestLimits held = limitsOf(method).orElseThrow();
        Mono<HandlerResult> passed = held.pass(exchange, new RequestLimits.Onward<HandlerResult>() {
            @Override
            public Mono<HandlerResult> go(Runnable end) {
                ExchangeEnd observed = ExchangeEnd.of(exchange);
                if (observed != null) {
                    observed.endAttempt(end);
                    return methods.handle(exchange, handler);
                }
                // Nobody tells the end of a response that is not observed, and it may never be committed either.
                return methods.handle(exchange, handler).doOnNext(returned -> end.run());
            }

            @Override
            public Mono<HandlerResult> refused(Refusal refusal) {
                return held.write(refusal, exchange).then(Mono.empty());
            }
        });
        return Mono.defer(() -> {
            ExchangeEnd observed = ExchangeEnd.of(exchange);
            if (observed != null) {
                observed.beginAttempt();
            }
            return passed;
        });
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        return ExchangeEnd.observe(exchange, chain.filter(exchange));
    }
}
