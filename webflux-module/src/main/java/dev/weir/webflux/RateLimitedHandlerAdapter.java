package dev.weir.webflux;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
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
 * bean of this type is used both as a handler adapter and as a web filter, which observes the end of each response.
 *
 * <p>Refusals, waiting, leases and threads are as described in {@link RateLimitWebFilter}.
 */
public final class RateLimitedHandlerAdapter implements HandlerAdapter, WebFilter, Ordered {

    private static final String END = RateLimitedHandlerAdapter.class.getName() + ".end";

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
                run(exchange.getAttributes().put(END, end));
                return methods.handle(exchange, handler);
            }

            @Override
            public Mono<HandlerResult> refused(Refusal refusal) {
                return refusal.writeTo(exchange.getResponse()).then(Mono.empty());
            }
        });
        // A filter may dispatch an exchange again, as to try again: what is left of the attempt before is over by then.
        return Mono.defer(() -> {
            end(exchange);
            return passed;
        });
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        Runnable ended = () -> end(exchange);
        return chain.filter(exchange).doOnTerminate(ended).doOnCancel(ended);
    }

    private static void end(ServerWebExchange exchange) {
        run(exchange.getAttributes().remove(END));
    }

    private static void run(@Nullable Object end) {
        if (end instanceof Runnable left) {
            left.run();
        }
    }
}
