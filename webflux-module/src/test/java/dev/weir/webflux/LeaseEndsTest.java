package dev.weir.webflux;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.web.reactive.function.server.RequestPredicates.GET;
import static org.springframework.web.reactive.function.server.RouterFunctions.route;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.HandlerStrategies;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Whoever hears that a call is over finds its room free: with room for one and no queue, one call after the other passes. */
class LeaseEndsTest {

    private static final int CALLS = 20;

    private final RateLimiter room =
            RateLimiter.builder(Limit.concurrency(1)).name("room").queueLimit(0).build();

    /** What becomes of a call of a client, and how the client reads it. */
    @SuppressWarnings("ImmutableEnumChecker") // functions that keep nothing
    enum Call {
        BODY(responds("found"), client -> client.retrieve().bodyToMono(String.class)),
        ELEMENTS(
                responds("found"),
                client -> client.retrieve().bodyToFlux(DataBuffer.class).then(Mono.just(""))),
        FIRST_OF_MANY(
                request -> Mono.just(ClientResponse.create(HttpStatus.OK)
                        .body(Flux.range(0, 3).map(part -> buffer("part")))
                        .build()),
                client -> client.retrieve().bodyToFlux(String.class).next()),
        NO_BODY(responds(""), client -> client.retrieve().toBodilessEntity()),
        UNREAD(responds("found"), client -> client.exchangeToMono(response -> Mono.just(response.statusCode()))),
        STATUS(
                request -> Mono.just(
                        ClientResponse.create(HttpStatus.NOT_FOUND).body("lost").build()),
                client -> client.retrieve().bodyToMono(String.class)),
        BROKEN_BODY(
                request -> Mono.just(ClientResponse.create(HttpStatus.OK)
                        .body(Flux.concat(Flux.just(buffer("half")), planned()))
                        .build()),
                client -> client.retrieve().bodyToMono(String.class)),
        FAILED(request -> planned(), client -> client.retrieve().bodyToMono(String.class)),
        THROWN(
                request -> {
                    throw new IllegalStateException("planned");
                },
                client -> client.retrieve().bodyToMono(String.class)),
        EMPTY(request -> Mono.empty(), client -> client.exchangeToMono(response -> response.bodyToMono(String.class)));

        final ExchangeFunction server;
        final Function<WebClient.RequestHeadersSpec<?>, Mono<?>> read;

        Call(ExchangeFunction server, Function<WebClient.RequestHeadersSpec<?>, Mono<?>> read) {
            this.server = server;
            this.read = read;
        }

        private static ExchangeFunction responds(String body) {
            return request ->
                    Mono.just(ClientResponse.create(HttpStatus.OK).body(body).build());
        }

        private static <T> Mono<T> planned() {
            return Mono.error(new IllegalStateException("planned"));
        }

        private static DataBuffer buffer(String text) {
            return DefaultDataBufferFactory.sharedInstance.wrap(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    @DisplayName("a client's call, however it ends, makes room before anybody hears of its end")
    void outgoing(Call call) {
        WebClient client = WebClient.builder()
                .exchangeFunction(call.server)
                .filter(RateLimitExchangeFilter.with(room))
                .build();
        assertNoneRefused(() -> call.read.apply(client.get().uri("http://x/")));
    }

    @Test
    @DisplayName("a call that is over without a response has been made, and takes no more room")
    void emptyExchange() {
        ClientRequest request =
                ClientRequest.create(HttpMethod.GET, URI.create("http://x/")).build();
        RateLimitExchangeFilter filter = RateLimitExchangeFilter.with(room);
        assertThat(filter.filter(request, next -> Mono.empty()).block()).isNull();
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a client's call that is given up makes room, before the response and within its body")
    void outgoingGivenUp() {
        for (ExchangeFunction server : new ExchangeFunction[] {
            request -> Mono.never(),
            request -> Mono.just(
                    ClientResponse.create(HttpStatus.OK).body(Flux.never()).build())
        }) {
            WebClient client = WebClient.builder()
                    .exchangeFunction(server)
                    .filter(RateLimitExchangeFilter.with(room))
                    .build();
            Disposable given =
                    client.get().uri("http://x/").retrieve().toBodilessEntity().subscribe();
            assertThat(room.availablePermits()).isZero();
            given.dispose();
            assertThat(room.availablePermits()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a client's call that is given up with the response there and its body not begun makes room")
    void givenUpBeforeTheBody() {
        ClientRequest request =
                ClientRequest.create(HttpMethod.GET, URI.create("http://x/")).build();
        Disposable given = RateLimitExchangeFilter.with(room)
                .filter(request, Call.BODY.server)
                .flatMap(response -> Mono.never().then(response.bodyToMono(String.class)))
                .subscribe();
        assertThat(room.availablePermits()).isZero();
        given.dispose();
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a response whose body is begun late holds its room until the body is read, once")
    void bodyReadLate() {
        ClientRequest request =
                ClientRequest.create(HttpMethod.GET, URI.create("http://x/")).build();
        RateLimitExchangeFilter filter = RateLimitExchangeFilter.with(room);
        ClientResponse response =
                filter.filter(request, Call.BODY.server).blockOptional().orElseThrow();
        assertThat(room.availablePermits()).isZero();
        assertThat(response.bodyToMono(String.class).block()).isEqualTo("found");
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a fatal error reaches the thread of a request or call, and makes room")
    void fatal() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder().protect(room).build();
        assertThatExceptionOfType(NoClassDefFoundError.class)
                .isThrownBy(() -> filter.filter(Requests.get("/"), exchange -> {
                            throw new NoClassDefFoundError("planned");
                        })
                        .subscribe());
        assertThat(room.availablePermits()).isEqualTo(1);
        ClientRequest request =
                ClientRequest.create(HttpMethod.GET, URI.create("http://x/")).build();
        for (ExchangeFunction server : List.<ExchangeFunction>of(
                asked -> {
                    throw new NoClassDefFoundError("planned");
                },
                asked -> Mono.fromRunnable(() -> {
                    throw new NoClassDefFoundError("planned");
                }))) {
            assertThatExceptionOfType(NoClassDefFoundError.class)
                    .isThrownBy(() -> RateLimitExchangeFilter.with(room)
                            .filter(request, server)
                            .subscribe());
            assertThat(room.availablePermits()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a fatal error after a wait reaches the thread that goes on, and makes room")
    void fatalAfterWait() {
        RateLimiter queued = RateLimiter.of(Limit.concurrency(1));
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().protect(queued).waiting().build();
        ClientRequest request =
                ClientRequest.create(HttpMethod.GET, URI.create("http://x/")).build();
        ExchangeFilterFunction client = RateLimitExchangeFilter.with(queued);
        for (Mono<?> fatal : List.<Mono<?>>of(
                filter.filter(Requests.get("/"), exchange -> {
                    throw new NoClassDefFoundError("planned");
                }),
                filter.filter(
                        Requests.get("/"),
                        exchange -> Mono.fromRunnable(() -> {
                            throw new NoClassDefFoundError("planned");
                        })),
                client.filter(request, asked -> {
                    throw new NoClassDefFoundError("planned");
                }),
                client.filter(
                        request,
                        asked -> Mono.fromRunnable(() -> {
                            throw new NoClassDefFoundError("planned");
                        })))) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            Schedulers.onHandleError("fatal", (thread, failure) -> thrown.complete(failure));
            Lease held = queued.tryAcquire();
            try {
                fatal.subscribe();
                held.close();
                assertThat(thrown).succeedsWithin(ofSeconds(10)).isInstanceOf(NoClassDefFoundError.class);
            } finally {
                Schedulers.resetOnHandleError("fatal");
            }
            assertThat(queued.availablePermits()).isEqualTo(1);
        }
    }

    /** What a handler makes of a request. */
    @SuppressWarnings("ImmutableEnumChecker") // functions that keep nothing
    enum Handled {
        RESPONSE(request -> ServerResponse.ok().bodyValue("found")),
        NOTHING(request -> Mono.empty()),
        FAILED(request -> Call.planned()),
        THROWN(request -> {
            throw new IllegalStateException("planned");
        }),
        FAILED_BODY(request -> ServerResponse.ok().body(Call.planned(), String.class));

        final HandlerFunction<ServerResponse> handler;

        Handled(HandlerFunction<ServerResponse> handler) {
            this.handler = handler;
        }
    }

    @ParameterizedTest
    @EnumSource(Handled.class)
    @DisplayName(
            "a request to a functional endpoint, whatever its handler makes of it, makes room before its end is heard")
    void functional(Handled handled) {
        RequestLimits limits = RequestLimits.builder().protect(room).build();
        HttpHandler server = RouterFunctions.toHttpHandler(
                route(GET("/"), handled.handler).filter(RateLimitHandlerFilter.with(limits)));
        assertNoneUnavailable(server);
    }

    @ParameterizedTest
    @EnumSource(Handled.class)
    @DisplayName("a request that passes a filter, whatever its handler makes of it, makes room before its end is heard")
    void filtered(Handled handled) {
        HttpHandler server = RouterFunctions.toHttpHandler(
                route(GET("/"), handled.handler),
                HandlerStrategies.builder()
                        .webFilter(RateLimitWebFilter.builder().protect(room).build())
                        .build());
        assertNoneUnavailable(server);
    }

    @Test
    @DisplayName("a response that another filter puts another one in the place of takes no room")
    void replaced() {
        RequestLimits limits = RequestLimits.builder().protect(room).build();
        HttpHandler server = RouterFunctions.toHttpHandler(route(
                        GET("/"), request -> ServerResponse.ok().bodyValue("found"))
                .filter(RateLimitHandlerFilter.with(limits))
                .filter((request, next) -> next.handle(request)
                        .flatMap(response -> ServerResponse.noContent().build())));
        assertNoneUnavailable(server);
    }

    private void assertNoneRefused(Supplier<Mono<?>> call) {
        AtomicInteger early = new AtomicInteger();
        for (int number = 0; number < CALLS; number++) {
            Flux.from(Mono.defer(call))
                    .doOnEach(heard -> early.addAndGet(1 - (int) room.availablePermits()))
                    .onErrorComplete()
                    .blockLast();
        }
        assertThat(early).as("calls whose end was heard while they held room").hasValue(0);
        assertThat(room.availablePermits()).isEqualTo(1);
        assertThat(room.statistics().acquired()).isEqualTo(CALLS);
    }

    private void assertNoneUnavailable(HttpHandler server) {
        assertNoneRefused(() -> {
            MockServerWebExchange exchange = Requests.get("/");
            MockServerHttpResponse response = exchange.getResponse();
            return server.handle(exchange.getRequest(), response);
        });
    }
}
