package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Requests to annotated methods that a filter dispatches once more within one exchange, as it does to try again. */
class RepeatedDispatchTest {

    private static final int REQUESTS = 8;

    private final HandlerMethod limited = new HandlerMethod(new Limited(), "limited");
    private final AtomicInteger attempts = new AtomicInteger();
    private final List<Long> left = new ArrayList<>();

    RepeatedDispatchTest() throws NoSuchMethodException {}

    static final class Limited {

        @RateLimited("limits")
        public void limited() {
            // never called
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @DisplayName("an attempt whose result fails makes room before the next one asks, and the last one in the end")
    void failedResult(int places) {
        RateLimiter room = RateLimiter.of(Limit.concurrency(places));
        RateLimitedHandlerAdapter adapter = adapter(RequestLimits.builder().protect(room));

        for (int request = 0; request < REQUESTS; request++) {
            MockServerWebExchange exchange = Requests.get("/");
            WebFilterChain flaky =
                    noting(room, adapter, () -> attempts.incrementAndGet() % 2 == 1 ? planned() : Mono.empty());
            adapter.filter(exchange, asked -> flaky.filter(asked).retry(1)).block();
            assertThat(exchange.getResponse().getStatusCode()).isNull();
            assertThat(room.availablePermits())
                    .as("room after request %d", request)
                    .isEqualTo(places);
        }

        assertThat(left).hasSize(2 * REQUESTS).containsOnly(places - 1L);
    }

    @Test
    @DisplayName(
            "each attempt is settled once, though the end of the response follows, whether the last one fails or not")
    void settledOnce() {
        RateLimiter limiter = RateLimiter.of(Limit.of(100, ofMinutes(1)));
        AtomicInteger settled = new AtomicInteger();
        RateLimitedHandlerAdapter adapter = adapter(
                RequestLimits.builder().limit(limiter).cost(exchange -> 10).actualCost(exchange -> {
                    settled.incrementAndGet();
                    return 3;
                }));

        WebFilterChain failing = dispatch(adapter, result -> planned());
        adapter.filter(Requests.get("/"), asked -> failing.filter(asked).retry(2))
                .onErrorComplete()
                .block();
        assertThat(settled).hasValue(3);
        WebFilterChain passing = dispatch(adapter, result -> Mono.empty());
        adapter.filter(
                        Requests.get("/"),
                        asked -> passing.filter(asked).repeat(1).then())
                .block();
        assertThat(settled).hasValue(5);
        assertThat(limiter.availablePermits()).isEqualTo(100 - 5 * 3);
    }

    @Test
    @DisplayName(
            "a dispatch that the filter does not observe, as that to a page for errors, takes no room for longer than its method")
    void outsideOfTheFilter() {
        RateLimiter room = RateLimiter.of(Limit.concurrency(1));
        RateLimitedHandlerAdapter adapter = adapter(RequestLimits.builder().protect(room));
        WebFilterChain page = noting(room, adapter, Mono::empty);

        for (int request = 0; request < REQUESTS; request++) {
            MockServerWebExchange exchange = Requests.get("/");
            adapter.filter(exchange, asked -> planned())
                    .onErrorResume(failure -> page.filter(exchange.mutate().build()))
                    .block();
            page.filter(Requests.get("/")).block();
            assertThat(exchange.getResponse().getStatusCode()).isNull();
        }

        assertThat(left).hasSize(2 * REQUESTS).containsOnly(1L);
        assertThat(room.statistics().acquired()).isEqualTo(2 * REQUESTS);
    }

    @Test
    @DisplayName("a dispatch that is sent through the filter once more keeps its room to its end")
    void throughTheFilterAgain() {
        RateLimiter room = RateLimiter.of(Limit.concurrency(1));
        RateLimitedHandlerAdapter adapter = adapter(RequestLimits.builder().protect(room));
        WebFilterChain page = noting(room, adapter, Mono::empty);

        MockServerWebExchange exchange = Requests.get("/");
        adapter.filter(exchange, asked -> planned())
                .onErrorResume(failure -> adapter.filter(exchange.mutate().build(), page))
                .block();

        WebFilterChain failing = dispatch(adapter, result -> planned());
        adapter.filter(exchange, asked -> failing.filter(asked).onErrorResume(failure -> adapter.filter(asked, page)))
                .block();

        assertThat(left).containsExactly(0L, 0L);
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a filter that is tried again from outside keeps the room of each attempt to its end")
    void filterTriedAgain() {
        RateLimiter room = RateLimiter.of(Limit.concurrency(1));
        RateLimitedHandlerAdapter adapter = adapter(RequestLimits.builder().protect(room));
        WebFilterChain failing = noting(room, adapter, RepeatedDispatchTest::planned);

        adapter.filter(Requests.get("/"), failing).retry(1).onErrorComplete().block();

        assertThat(left).containsExactly(0L, 0L);
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    /** Fails once subscribed, as what is written does: an error that is known at once would cancel what came before. */
    private static Mono<Void> planned() {
        return Mono.<Void>error(new IllegalStateException("planned")).hide();
    }

    private static RateLimitedHandlerAdapter adapter(RequestLimits.Builder limits) {
        return RateLimitedHandlerAdapter.before(new Calling(), Map.of("limits", limits.build()));
    }

    /** Dispatches as Spring does: the adapter calls the method, and only then its result is written. */
    private WebFilterChain dispatch(RateLimitedHandlerAdapter adapter, Function<HandlerResult, Mono<Void>> write) {
        return exchange -> Mono.defer(() -> adapter.handle(exchange, limited).flatMap(write));
    }

    /** Notes how much room is left when the result is written. */
    private WebFilterChain noting(RateLimiter room, RateLimitedHandlerAdapter adapter, Supplier<Mono<Void>> written) {
        return dispatch(adapter, result -> {
            left.add(room.availablePermits());
            return written.get();
        });
    }

    /** Calls no method, and has a result all the same. */
    private static final class Calling implements HandlerAdapter {

        @Override
        public boolean supports(Object handler) {
            return true;
        }

        @Override
        public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
            return Mono.just(new HandlerResult(handler, null, ((HandlerMethod) handler).getReturnType()));
        }
    }
}
