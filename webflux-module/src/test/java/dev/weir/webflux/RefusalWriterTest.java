package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.springframework.web.reactive.function.server.RequestPredicates.GET;
import static org.springframework.web.reactive.function.server.RouterFunctions.route;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;

class RefusalWriterTest {

    private static final RefusalWriter TEXT = (exchange, refusal) -> {
        HttpHeaders headers = exchange.getResponse().getHeaders();
        headers.setContentType(MediaType.TEXT_PLAIN);
        return write(exchange, "come back in " + headers.getFirst("Retry-After"));
    };

    private static final RefusalWriter EXCEPTION = (exchange, refusal) -> Mono.error(new ResponseStatusException(
            refusal.getStatusCode(), refusal.getBody().getTitle()));

    private static Mono<Void> write(ServerWebExchange exchange, String text) {
        ServerHttpResponse response = exchange.getResponse();
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(Requests.bytes(text))));
    }

    @Test
    @DisplayName(
            "a refusal is written by the application; status, Retry-After and the fields of limits are there already")
    void written() {
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, ofMinutes(1)))
                .name("api")
                .timeSource(new VirtualTimeSource())
                .build();
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter)
                .headers(HeaderStyle.DRAFT_11)
                .refusals(TEXT)
                .build();
        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(HttpStatus.OK);

        MockServerHttpResponse refused = Requests.send(filter, Requests.get("/"));

        assertThat(refused.getStatusCode()).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
        assertThat(refused.getHeaders().getFirst("Retry-After")).isEqualTo("60");
        assertThat(refused.getHeaders().getFirst("RateLimit")).isEqualTo("\"api\";r=0;t=60");
        assertThat(refused.getHeaders().getContentType()).isEqualTo(MediaType.TEXT_PLAIN);
        assertThat(Requests.body(refused)).isEqualTo("come back in 60");
    }

    @Test
    @DisplayName(
            "the writer is told the status, when to retry, and the problem with the names of the limits that refused")
    void told() {
        RateLimiter quota = RateLimiter.builder(Limit.of(1, ofSeconds(30)))
                .name("quota für alle")
                .timeSource(new VirtualTimeSource())
                .build();
        RateLimiter room =
                RateLimiter.builder(Limit.concurrency(1)).name("room").build();
        room.tryAcquire();

        check(refusal(RateLimitWebFilter.builder().limit(quota).cost(exchange -> 2)), 429, null, "Too many requests");
        quota.tryAcquire();
        ErrorResponse refused = refusal(RateLimitWebFilter.builder().limit(quota));
        check(refused, 429, "30", "Too many requests");
        assertThat(refused.getBody().getType())
                .hasToString("https://iana.org/assignments/http-problem-types#quota-exceeded");
        assertThat(refused.getBody().getProperties())
                .isEqualTo(Map.of("violated-policies", List.of("quota f%c3%bcr alle")));
        assertThat(refused.getBody()).as("to change it").isSameAs(refused.getBody());

        ErrorResponse full = refusal(RateLimitWebFilter.builder().protect(room));
        check(full, 503, "1", "No capacity at the moment");
        assertThat(full.getBody().getType())
                .hasToString("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
        assertThat(full.getBody().getProperties()).isEqualTo(Map.of("violated-policies", List.of("room")));

        ErrorResponse keyless = refusal(RateLimitWebFilter.builder()
                .limit(
                        RequestKey.header("X-Api-Key"),
                        PartitionedRateLimiter.of(Limit.of(1, ofMinutes(1))),
                        WithoutKey.REFUSE));
        check(keyless, 403, null, "Forbidden");
        assertThat(keyless.getBody().getType()).hasToString("about:blank");
        assertThat(keyless.getBody().getDetail()).isEqualTo("This request needs the header field X-Api-Key.");
        assertThat(keyless.getBody().getProperties()).isNull();
    }

    private static void check(ErrorResponse refusal, int status, String retryAfter, String title) {
        assertThat(refusal.getStatusCode().value()).isEqualTo(status);
        assertThat(refusal.getBody().getStatus()).isEqualTo(status);
        assertThat(refusal.getHeaders().getFirst("Retry-After")).isEqualTo(retryAfter);
        assertThat(refusal.getBody().getTitle()).isEqualTo(title);
    }

    /** Has a filter refuse a request, and returns what its writer is told. */
    private static ErrorResponse refusal(RateLimitWebFilter.Builder limits) {
        return Mono.<ErrorResponse>create(told -> {
                    RateLimitWebFilter filter = limits.refusals((exchange, refusal) -> {
                                told.success(refusal);
                                return exchange.getResponse().setComplete();
                            })
                            .build();
                    Requests.send(filter, Requests.get("/"));
                })
                .block();
    }

    @Test
    @DisplayName("nothing is written if somebody else has answered while the request waited for its refusal")
    void committed() {
        RateLimitWebFilter filter = closed().refusals((exchange, refusal) -> Mono.error(new AssertionError("called")))
                .build();
        MockServerWebExchange exchange = Requests.get("/");
        exchange.getResponse().setComplete().block();
        assertThat(Requests.status(filter, exchange)).isEqualTo(HttpStatus.OK);
    }

    @Test
    @DisplayName("a writer that returns null is told so by name")
    void returnsNull() {
        RateLimitWebFilter filter =
                closed().refusals((exchange, refusal) -> null).build();
        assertThatNullPointerException()
                .isThrownBy(() -> Requests.send(filter, Requests.get("/")))
                .withMessageContaining("RefusalWriter")
                .withMessageContaining("returned null");
    }

    private static RateLimitWebFilter.Builder closed() {
        RateLimiter closed = RateLimiter.of(1, ofMinutes(1));
        closed.close();
        return RateLimitWebFilter.builder().limit(closed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/functional", "/annotated"})
    @DisplayName("the refusals of functional endpoints and annotated methods are written, too")
    void handlers(String path) {
        try (AnnotationConfigApplicationContext context = application(TEXT)) {
            MockServerHttpResponse refused = get(context, path);
            assertThat(refused.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
            assertThat(Requests.body(refused)).isEqualTo("come back in 1");
        }
    }

    @Test
    @DisplayName("a writer leaves the refusal of an annotated method to the application's handler of exceptions")
    void adviceOfControllers() {
        try (AnnotationConfigApplicationContext context = application(EXCEPTION)) {
            MockServerHttpResponse refused = get(context, "/annotated");
            assertThat(refused.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
            assertThat(refused.getHeaders().getFirst("Retry-After")).isEqualTo("1");
            assertThat(Requests.body(refused)).isEqualTo("handled: No capacity at the moment");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/functional", "/filtered"})
    @DisplayName(
            "a writer leaves the refusal of a functional endpoint or a filter to the handlers of exceptions further out")
    void exceptionHandlers(String path) {
        try (AnnotationConfigApplicationContext context = application(EXCEPTION)) {
            MockServerHttpResponse refused = get(context, path);
            assertThat(refused.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
            assertThat(refused.getHeaders().getFirst("Retry-After")).isEqualTo("1");
            assertThat(refused.getHeaders().getFirst("RateLimit")).startsWith("\"closed\";");
            assertThat(Requests.body(refused)).isEqualTo("further out: No capacity at the moment");
        }
    }

    private static AnnotationConfigApplicationContext application(RefusalWriter writer) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(RefusalWriter.class, () -> writer);
        context.register(Application.class);
        context.refresh();
        return context;
    }

    private static MockServerHttpResponse get(AnnotationConfigApplicationContext context, String path) {
        MockServerWebExchange exchange = Requests.get(path);
        WebHttpHandlerBuilder.applicationContext(context)
                .build()
                .handle(exchange.getRequest(), exchange.getResponse())
                .block();
        return exchange.getResponse();
    }

    @Configuration
    @EnableWebFlux
    static class Application {

        @Bean
        RateLimiter closed() {
            RateLimiter closed = RateLimiter.builder(Limit.of(1, ofMinutes(1)))
                    .name("closed")
                    .build();
            closed.close();
            return closed;
        }

        @Bean
        RequestLimits limits(RateLimiter closed, RefusalWriter writer) {
            return RequestLimits.builder()
                    .limit(closed)
                    .headers(HeaderStyle.DRAFT_11)
                    .refusals(writer)
                    .build();
        }

        @Bean
        WebFilter filtered(RateLimiter closed, RefusalWriter writer) {
            return RateLimitWebFilter.builder()
                    .limit(closed)
                    .paths("/filtered")
                    .headers(HeaderStyle.DRAFT_11)
                    .refusals(writer)
                    .build();
        }

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        WebExceptionHandler furtherOut() {
            return (exchange, thrown) ->
                    write(exchange, "further out: " + ((ResponseStatusException) thrown).getReason());
        }

        @Bean
        RouterFunction<ServerResponse> functional(RequestLimits limits) {
            return route(GET("/functional"), request -> ServerResponse.ok().build())
                    .filter(RateLimitHandlerFilter.with(limits));
        }

        @Bean
        RateLimitedHandlerAdapter rateLimited(
                RequestMappingHandlerAdapter requestMappingHandlerAdapter, RequestLimits limits) {
            return RateLimitedHandlerAdapter.before(requestMappingHandlerAdapter, Map.of("closed", limits));
        }

        @Bean
        Controller controller() {
            return new Controller();
        }

        @Bean
        Advice advice() {
            return new Advice();
        }
    }

    @RestController
    static class Controller {

        @RateLimited("closed")
        @GetMapping("/annotated")
        Mono<String> annotated() {
            return Mono.just("never");
        }
    }

    @RestControllerAdvice
    static class Advice {

        @ExceptionHandler
        ResponseEntity<String> refused(ResponseStatusException refusal) {
            return ResponseEntity.status(refusal.getStatusCode()).body("handled: " + refusal.getReason());
        }
    }
}
