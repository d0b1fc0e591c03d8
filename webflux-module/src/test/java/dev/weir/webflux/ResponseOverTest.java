package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.springframework.http.HttpStatus.CREATED;
import static org.springframework.http.HttpStatus.OK;
import static org.springframework.http.HttpStatus.UNAUTHORIZED;
import static org.springframework.web.reactive.function.server.RequestPredicates.GET;
import static org.springframework.web.reactive.function.server.RouterFunctions.route;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseCookie;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.reactive.function.server.EntityResponse;
import org.springframework.web.reactive.function.server.HandlerFilterFunction;
import org.springframework.web.reactive.function.server.HandlerStrategies;
import org.springframework.web.reactive.function.server.RenderingResponse;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import org.springframework.web.server.handler.ResponseStatusExceptionHandler;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** What is left to do when the response is over, and what is not when it was over before. */
class ResponseOverTest {

    private final VirtualTimeSource time = new VirtualTimeSource();

    @Test
    @DisplayName("a request of no cost passes, and its actual cost is charged")
    void paidAfterwards() {
        RateLimiter limiter = limiter(Limit.of(10, ofMinutes(1)));
        RateLimiter room = limiter(Limit.concurrency(1));
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter)
                .protect(room)
                .cost(exchange -> 0)
                .actualCost(exchange -> 6)
                .build();

        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
        assertThat(limiter.availablePermits()).isEqualTo(4);
        filter.filter(Requests.get("/"), exchange -> Mono.error(new IllegalStateException("planned")))
                .onErrorComplete()
                .block();
        assertThat(limiter.availablePermits()).isEqualTo(-2);
        filter.filter(Requests.get("/"), exchange -> Mono.never()).subscribe().dispose();
        assertThat(limiter.availablePermits()).isEqualTo(-8);
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a functional endpoint's actual cost is charged once its answer is written")
    void functionalPaidAfterwards() {
        RateLimiter limiter = limiter(Limit.of(10, ofMinutes(1)));
        RequestLimits limits = RequestLimits.builder()
                .limit(limiter)
                .cost(exchange -> 0)
                .actualCost(exchange -> 6)
                .build();
        HttpHandler server = RouterFunctions.toHttpHandler(route(
                        GET("/"),
                        request -> ServerResponse.ok()
                                .body(Mono.fromSupplier(() -> "of " + limiter.availablePermits()), String.class))
                .filter(RateLimitHandlerFilter.with(limits)));
        MockServerWebExchange exchange = Requests.get("/");

        server.handle(exchange.getRequest(), exchange.getResponse()).block();
        assertThat(Requests.body(exchange.getResponse())).isEqualTo("of 10");
        assertThat(limiter.availablePermits()).isEqualTo(4);
    }

    @Test
    @DisplayName("a request's actual cost is charged to each of its limits, also behind a closed one")
    void eachPaidAfterwards() {
        RateLimiter closed = limiter(Limit.of(10, ofMinutes(1)));
        RateLimiter open = limiter(Limit.of(10, ofMinutes(1)));
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(closed)
                .limit(open)
                .cost(exchange -> 0)
                .actualCost(exchange -> 6)
                .build();
        closed.close();

        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
        assertThat(open.availablePermits()).isEqualTo(4);
    }

    @Test
    @DisplayName("a request of no cost is none for a limit of calls, whatever its actual cost")
    void notCounted() {
        RateLimiter calls = limiter(Limit.of(2, ofMinutes(1)).countingCalls());
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(calls)
                .cost(exchange -> 0)
                .actualCost(exchange -> 6)
                .build();
        for (int request = 0; request < 3; request++) {
            assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
        }
        assertThat(calls.availablePermits()).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "an actual cost that cannot be told is no failure of the request, nor hides one, keeps no room, and is dropped aloud")
    void unknownActualCost() {
        AssertionError planned = new AssertionError("planned");
        List<Throwable> dropped = new ArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            failToTell(planned);
        } finally {
            Hooks.resetOnErrorDropped();
        }
        assertThat(dropped).containsExactly(planned, planned);
    }

    @Test
    @DisplayName(
            "a failed request has no status yet when its actual cost is asked for, unless a filter further in has set it")
    void statusOfAFailure() {
        List<Optional<HttpStatusCode>> told = new ArrayList<>();
        WebFilter limit = RateLimitWebFilter.builder()
                .limit(limiter(Limit.of(10, ofMinutes(1))))
                .actualCost(exchange -> {
                    told.add(Optional.ofNullable(exchange.getResponse().getStatusCode()));
                    return 1;
                })
                .build();
        WebFilter statusOfErrors = (exchange, chain) -> chain.filter(exchange)
                .doOnError(
                        ResponseStatusException.class,
                        failure -> exchange.getResponse().setStatusCode(failure.getStatusCode()));
        WebHttpHandlerBuilder failing = WebHttpHandlerBuilder.webHandler(
                        exchange -> Mono.error(new ResponseStatusException(UNAUTHORIZED)))
                .exceptionHandler(new ResponseStatusExceptionHandler());

        for (HttpHandler application : List.of(
                failing.clone().filter(limit).build(),
                failing.clone().filter(limit, statusOfErrors).build())) {
            MockServerWebExchange exchange = Requests.get("/login");
            application.handle(exchange.getRequest(), exchange.getResponse()).block();
            assertThat(exchange.getResponse().getStatusCode()).isEqualTo(UNAUTHORIZED);
        }
        assertThat(told).containsExactly(Optional.empty(), Optional.of(UNAUTHORIZED));
    }

    private void failToTell(AssertionError planned) {
        RateLimiter room = limiter(Limit.concurrency(1));
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .protect(room)
                .actualCost(exchange -> {
                    throw planned;
                })
                .build();

        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
        assertThatIllegalStateException()
                .isThrownBy(() -> filter.filter(
                                Requests.get("/"), exchange -> Mono.error(new IllegalStateException("of the handler")))
                        .block())
                .withMessage("of the handler");
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "of a response that somebody else has sent already nothing is changed, whether the request passes or not")
    void answeredAlready() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter(Limit.of(1, ofMinutes(1))))
                .headers(HeaderStyle.DRAFT_11)
                .build();
        for (int request = 0; request < 2; request++) {
            MockServerWebExchange exchange = Requests.get("/");
            exchange.getResponse().setStatusCode(OK);
            exchange.getResponse().setComplete().block();
            MockServerHttpResponse response = Requests.send(filter, exchange);
            assertThat(response.getStatusCode()).isEqualTo(OK);
            assertThat(response.getHeaders().getFirst("RateLimit")).isNull();
        }
    }

    @Test
    @DisplayName(
            "a response of a functional endpoint stays what it is, its type included, for filters around that of limits")
    void responsesKeepTheirType() {
        HandlerFilterFunction<ServerResponse, ServerResponse> limits =
                RateLimitHandlerFilter.with(limiter(Limit.concurrency(3)));
        ServerRequest request = ServerRequest.create(
                Requests.get("/"), HandlerStrategies.withDefaults().messageReaders());

        ServerResponse plain = limits.filter(
                        request,
                        asked -> ServerResponse.created(URI.create("/made"))
                                .cookie(ResponseCookie.from("a", "b").build())
                                .build())
                .block();
        assertThat(plain).satisfies(made -> {
            assertThat(made.statusCode()).isEqualTo(CREATED);
            assertThat(made.headers().getLocation()).isEqualTo(URI.create("/made"));
            assertThat(made.cookies()).containsOnlyKeys("a");
        });

        ServerResponse entity = limits.filter(
                        request,
                        asked -> EntityResponse.fromObject("found").build().cast(ServerResponse.class))
                .block();
        assertThat(entity)
                .isInstanceOfSatisfying(
                        EntityResponse.class,
                        found -> assertThat(found.entity()).isEqualTo("found"));

        ServerResponse rendering = limits.filter(
                        request,
                        asked -> RenderingResponse.create("page")
                                .modelAttribute("title", "found")
                                .build()
                                .cast(ServerResponse.class))
                .block();
        assertThat(rendering).isInstanceOfSatisfying(RenderingResponse.class, page -> {
            assertThat(page.name()).isEqualTo("page");
            assertThat(page.model()).containsEntry("title", "found");
        });
    }

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(time).build();
    }
}
