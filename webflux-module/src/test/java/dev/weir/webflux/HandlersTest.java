package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.springframework.web.reactive.function.server.RequestPredicates.GET;
import static org.springframework.web.reactive.function.server.RouterFunctions.route;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Limits on functional endpoints and on annotated methods, in a whole application context. */
class HandlersTest {

    private static final RateLimiter ROOM =
            RateLimiter.builder(Limit.concurrency(1)).name("room").build();

    private AnnotationConfigApplicationContext context;
    private HttpHandler application;

    @BeforeEach
    void start() {
        context = new AnnotationConfigApplicationContext(Application.class);
        application = WebHttpHandlerBuilder.applicationContext(context).build();
    }

    @AfterEach
    void stop() {
        context.close();
    }

    @Test
    @DisplayName("a functional endpoint behind a limiter")
    void functional() {
        assertThat(Requests.body(get("/functional"))).isEqualTo("yes");
        MockServerHttpResponse refused = get("/functional");
        assertThat(status(refused)).isEqualTo(429);
        assertThat(refused.getHeaders().getFirst("Retry-After")).isNotNull();
        assertThat(refused.getHeaders().getContentType()).hasToString("application/problem+json");
    }

    @Test
    @DisplayName("an annotated method, and the methods of an annotated class, of which one says otherwise")
    void annotated() {
        assertThat(Requests.body(get("/tight"))).isEqualTo("tight");
        assertThat(status(get("/tight"))).isEqualTo(429);
        assertThat(status(get("/free"))).isEqualTo(200);
        assertThat(get("/loose/1").getHeaders().getFirst("RateLimit")).isNotNull();
        assertThat(status(get("/loose/2"))).isEqualTo(200);
        assertThat(status(get("/loose/3"))).isEqualTo(429);
        assertThat(status(get("/also-loose"))).isEqualTo(200);
    }

    @Test
    @DisplayName(
            "a lease of concurrency lasts until the response is over, also when the handler fails or the client goes")
    void concurrency() {
        for (String path : new String[] {"/room/ok", "/room/fail", "/room-functional"}) {
            get(path);
            assertThat(ROOM.availablePermits()).as(path).isEqualTo(1);
        }
        for (String path : new String[] {"/room/never", "/room-functional-never"}) {
            var exchange = Requests.get(path);
            Disposable gone = application
                    .handle(exchange.getRequest(), exchange.getResponse())
                    .subscribe();
            assertThat(ROOM.availablePermits()).as(path).isZero();
            assertThat(status(get(path))).isEqualTo(503);
            gone.dispose();
            Awaitility.await().until(() -> ROOM.availablePermits() == 1);
        }
    }

    private MockServerHttpResponse get(String path) {
        var exchange = Requests.get(path);
        application.handle(exchange.getRequest(), exchange.getResponse()).block();
        return exchange.getResponse();
    }

    private static int status(MockServerHttpResponse response) {
        return response.getStatusCode() == null ? 200 : response.getStatusCode().value();
    }

    @Test
    @DisplayName("of a controller behind a JDK proxy, what is limited is what its interface says")
    void behindProxy() throws NoSuchMethodException {
        Object proxy = Proxy.newProxyInstance(
                Api.class.getClassLoader(), new Class<?>[] {Api.class}, (self, method, arguments) -> null);
        RateLimitedHandlerAdapter adapter = context.getBean(RateLimitedHandlerAdapter.class);
        assertThat(adapter.supports(new HandlerMethod(proxy, Api.class.getMethod("method"))))
                .isTrue();
        assertThat(adapter.supports(new HandlerMethod(proxy, "method"))).isTrue();
        assertThat(adapter.supports(new HandlerMethod(proxy, "other"))).isFalse();
    }

    interface Api {

        @RateLimited("tight")
        String method();

        String other();
    }

    @Test
    @DisplayName("of controllers that inherit a method, each has the limits of its own class")
    void inherited() throws NoSuchMethodException {
        RateLimitedHandlerAdapter adapter = context.getBean(RateLimitedHandlerAdapter.class);
        assertThat(adapter.supports(new HandlerMethod(new LimitedHeir(), "inherited")))
                .isTrue();
        assertThat(adapter.supports(new HandlerMethod(new Heir(), "inherited"))).isFalse();
    }

    @Test
    @DisplayName("of a method that the adapter behind it does not call, none is limited: another adapter calls it")
    void ofAnotherAdapter() throws NoSuchMethodException {
        HandlerAdapter unable = new HandlerAdapter() {
            @Override
            public boolean supports(Object handler) {
                return false;
            }

            @Override
            public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
                return Mono.error(new AssertionError("called, though it supports nothing"));
            }
        };
        RequestLimits tight =
                RequestLimits.builder().limit(RateLimiter.of(1, ofMinutes(1))).build();
        HandlerMethod limited = new HandlerMethod(new LimitedHeir(), "inherited");
        assertThat(RateLimitedHandlerAdapter.before(unable, Map.of("tight", tight))
                        .supports(limited))
                .isFalse();
    }

    static class Heir {

        public String inherited() {
            return "";
        }
    }

    @RateLimited("tight")
    static final class LimitedHeir extends Heir {}

    @Test
    @DisplayName("a name that is not known is found by a check of the handler methods")
    void wrongNames() throws NoSuchMethodException {
        HandlerMethod wrong = new HandlerMethod(new Misspelt(), Misspelt.class.getDeclaredMethod("misspelt"));
        RateLimitedHandlerAdapter adapter = context.getBean(RateLimitedHandlerAdapter.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> adapter.check(wrong))
                .withMessageContaining("tihgt")
                .withMessageContaining("Misspelt");
        context.getBean(RequestMappingHandlerMapping.class)
                .getHandlerMethods()
                .values()
                .forEach(adapter::check);
    }

    static final class Misspelt {

        @RateLimited("tihgt")
        String misspelt() {
            return "";
        }
    }

    @Configuration
    @EnableWebFlux
    static class Application {

        @Bean
        RouterFunction<ServerResponse> routes() {
            RouterFunction<ServerResponse> limited = route(
                            GET("/functional"), request -> ServerResponse.ok().bodyValue("yes"))
                    .filter(RateLimitHandlerFilter.with(RateLimiter.of(1, ofMinutes(1))));
            RouterFunction<ServerResponse> room = route(
                            GET("/room-functional"),
                            request -> ServerResponse.ok().bodyValue("yes"))
                    .andRoute(
                            GET("/room-functional-never"),
                            request -> ServerResponse.ok().body(Mono.never(), String.class))
                    .filter(RateLimitHandlerFilter.with(
                            RequestLimits.builder().protect(ROOM).build()));
            return limited.and(room);
        }

        @Bean
        RateLimitedHandlerAdapter rateLimited(RequestMappingHandlerAdapter methods) {
            RequestLimits tight = RequestLimits.builder()
                    .limit(RateLimiter.of(1, ofMinutes(1)))
                    .build();
            RequestLimits loose = RequestLimits.builder()
                    .limit(RequestKey.route(), PartitionedRateLimiter.of(Limit.of(2, ofMinutes(1))))
                    .headers(HeaderStyle.DRAFT_11)
                    .build();
            RequestLimits room = RequestLimits.builder().protect(ROOM).build();
            return RateLimitedHandlerAdapter.before(methods, Map.of("tight", tight, "loose", loose, "room", room));
        }

        @Bean
        WebFilter unrelated() {
            return (exchange, chain) -> chain.filter(exchange);
        }

        @Bean
        Annotated annotated() {
            return new Annotated();
        }

        @Bean
        OfClass ofClass() {
            return new OfClass();
        }
    }

    @RestController
    static class Annotated {

        @GetMapping("/free")
        String free() {
            return "free";
        }

        @RateLimited("room")
        @GetMapping("/room/{what}")
        Mono<String> room(@PathVariable("what") String what) {
            return switch (what) {
                case "fail" -> Mono.error(new IllegalStateException("planned"));
                case "never" -> Mono.never();
                default -> Mono.just(what);
            };
        }
    }

    @RestController
    @RateLimited("loose")
    static class OfClass {

        @GetMapping("/loose/{id}")
        String loose(@PathVariable("id") String id) {
            return id;
        }

        @GetMapping("/also-loose")
        String alsoLoose() {
            return "loose";
        }

        @RateLimited("tight")
        @GetMapping("/tight")
        String tight() {
            return "tight";
        }
    }
}
