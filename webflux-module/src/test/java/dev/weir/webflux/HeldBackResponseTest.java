package dev.weir.webflux;

import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.web.reactive.function.server.RequestPredicates.GET;
import static org.springframework.web.reactive.function.server.RouterFunctions.route;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.reactive.function.server.HandlerFilterFunction;
import org.springframework.web.reactive.function.server.HandlerStrategies;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.SimpleHandlerAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A client that goes while a filter holds the response of a functional endpoint back, outside of the filter that limits it. */
class HeldBackResponseTest {

    private final RateLimiter room = RateLimiter.of(Limit.concurrency(1));
    private final HandlerFilterFunction<ServerResponse, ServerResponse> limit =
            RateLimitHandlerFilter.with(RequestLimits.builder().protect(room).build());
    private final RateLimitedHandlerAdapter observer =
            RateLimitedHandlerAdapter.before(new SimpleHandlerAdapter(), Map.of());

    @SuppressWarnings("ImmutableEnumChecker") // functions that keep nothing
    enum Held {
        DELAY_ELEMENT(response -> response.delayElement(ofHours(1))),
        ZIP(response -> response.zipWith(Mono.never(), (made, never) -> made)),
        CACHE(response -> response.cache().flatMap(made -> Mono.never())),
        FUTURE(response -> Mono.fromFuture(response.toFuture()).flatMap(made -> Mono.never())),
        DELAY_UNTIL(response -> response.delayUntil(made -> Mono.never())),
        FLAT_MAP(response -> response.flatMap(made -> Mono.never()));

        private final UnaryOperator<Mono<ServerResponse>> operator;

        Held(UnaryOperator<Mono<ServerResponse>> operator) {
            this.operator = operator;
        }

        Mono<ServerResponse> hold(Mono<ServerResponse> response) {
            return operator.apply(response);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("makes room where the exchange is observed, however the response is held back")
    void observed(Held held) {
        HttpHandler server = RouterFunctions.toHttpHandler(
                route(GET("/"), request -> ServerResponse.ok().bodyValue("found"))
                        .filter(limit)
                        .filter((request, next) -> held.hold(next.handle(request))),
                HandlerStrategies.builder().webFilter(observer).build());
        checkGivenUpTwice(server);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("makes room where the limit is outermost, however the response is held back")
    void outermost(Held held) {
        checkGivenUpTwice(RouterFunctions.toHttpHandler(
                route(GET("/"), request -> ServerResponse.ok().bodyValue("found"))
                        .filter((request, next) -> held.hold(next.handle(request)))
                        .filter(limit)));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("makes room though the request reaches the limit while its exchange is ending")
    void reachesTheLimitAsTheExchangeEnds(Held held) {
        Sinks.Empty<Void> gate = Sinks.empty();
        RateLimitHandlerFilter opensTheGateAtTheEnd = RateLimitHandlerFilter.with(RequestLimits.builder()
                .limit(RateLimiter.of(Limit.concurrency(1)))
                .actualCost(exchange -> {
                    gate.tryEmitEmpty();
                    return 1;
                })
                .build());
        HttpHandler server = RouterFunctions.toHttpHandler(
                route(GET("/"), request -> ServerResponse.ok().bodyValue("found"))
                        .filter(limit)
                        .filter((request, next) -> gate.asMono().then(Mono.defer(() -> next.handle(request))))
                        .filter((request, next) -> held.hold(next.handle(request)))
                        .filter(opensTheGateAtTheEnd),
                HandlerStrategies.builder().webFilter(observer).build());
        request(server).dispose();
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "makes room though the permits come when the exchange is over, as where a filter keeps the request waiting all the same")
    void permitsAfterTheEnd(Held held) {
        RateLimitHandlerFilter waiting = RateLimitHandlerFilter.with(
                RequestLimits.builder().protect(room).waiting().build());
        HttpHandler server = RouterFunctions.toHttpHandler(
                route(GET("/"), request -> ServerResponse.ok().bodyValue("found"))
                        .filter(waiting)
                        .filter((request, next) ->
                                held.hold(next.handle(request).cache())),
                HandlerStrategies.builder().webFilter(observer).build());
        Lease before = room.tryAcquire();
        request(server).dispose();
        before.close();
        await().untilAsserted(() -> assertThat(room.statistics().acquired()).isEqualTo(2));
        await().untilAsserted(() -> assertThat(room.availablePermits()).isEqualTo(1));
    }

    @Test
    @DisplayName("settles by what filters further out note when they hear that the client has gone")
    void settledByWhatFiltersNote() {
        RateLimiter limiter = RateLimiter.of(Limit.of(10, ofHours(1)));
        AtomicInteger noted = new AtomicInteger(1);
        RateLimitHandlerFilter settling = RateLimitHandlerFilter.with(RequestLimits.builder()
                .limit(limiter)
                .actualCost(exchange -> noted.get())
                .build());
        HttpHandler server = RouterFunctions.toHttpHandler(
                route(GET("/"), request -> ServerResponse.ok().body(Mono.never(), String.class))
                        .filter(settling),
                HandlerStrategies.builder()
                        .webFilter(observer)
                        .webFilter((exchange, chain) -> chain.filter(exchange).doOnCancel(() -> noted.set(4)))
                        .build());
        request(server).dispose();
        assertThat(limiter.availablePermits()).isEqualTo(6);
    }

    private void checkGivenUpTwice(HttpHandler server) {
        for (int request = 0; request < 2; request++) {
            Disposable answering = request(server);
            assertThat(room.availablePermits())
                    .as("room of request %d", request)
                    .isZero();
            answering.dispose();
            assertThat(room.availablePermits())
                    .as("room after request %d", request)
                    .isEqualTo(1);
        }
    }

    private static Disposable request(HttpHandler server) {
        MockServerWebExchange exchange = Requests.get("/");
        return server.handle(exchange.getRequest(), exchange.getResponse()).subscribe();
    }
}
