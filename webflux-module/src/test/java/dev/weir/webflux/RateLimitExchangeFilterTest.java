package dev.weir.webflux;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.QueueOrder;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.testkit.VirtualTimeSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class RateLimitExchangeFilterTest {

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final Deque<ClientResponse> answers = new ArrayDeque<>();
    private final AtomicInteger attempts = new AtomicInteger();

    private final ExchangeFunction server = request -> Mono.fromSupplier(() -> {
        attempts.incrementAndGet();
        return answers.isEmpty() ? response(200) : answers.remove();
    });

    private final RateLimiter limiter = limiter(Limit.of(10, ofSeconds(1)));

    @Test
    @DisplayName("every attempt pays, those of a retry too")
    void attemptsPay() {
        answers.add(response(500));
        answers.add(response(500));
        WebClient client = client(RateLimitExchangeFilter.with(limiter));

        String body = client.get()
                .uri("/")
                .retrieve()
                .bodyToMono(String.class)
                .retry(5)
                .defaultIfEmpty("")
                .block();

        assertThat(body).isEmpty();
        assertThat(attempts).hasValue(3);
        assertThat(limiter.availablePermits()).isEqualTo(7);
    }

    @Test
    @DisplayName("a call without a permit waits, and one that is cancelled leaves nothing")
    void waits() {
        WebClient client = client(RateLimitExchangeFilter.with(limiter));
        limiter.tryAcquire(10);
        Disposable one = send(client).subscribe();
        Disposable other = send(client).subscribe();
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(2);

        one.dispose();
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(1);
        time.advanceBy(ofSeconds(1));
        Awaitility.await().atMost(ofSeconds(20)).until(other::isDisposed);
        assertThat(attempts).hasValue(1);
    }

    @Test
    @DisplayName("a refusal is an error that says why")
    void refused() {
        WebClient client =
                client(RateLimitExchangeFilter.builder(limiter).maxWait(ZERO).build());
        limiter.tryAcquire(10);
        assertThatThrownBy(() -> send(client).block()).isInstanceOf(RateLimitExceededException.class);
        assertThat(attempts).hasValue(0);
    }

    @Test
    @DisplayName("Retry-After pauses everybody who shares the limiter")
    void retryAfter() {
        answers.add(response(429, "Retry-After", "7"));
        WebClient client = client(RateLimitExchangeFilter.with(limiter));
        send(client).onErrorComplete().block();

        assertThat(limiter.tryAcquire().retryAfter()).contains(ofSeconds(7));
        time.advanceBy(ofSeconds(7).minusNanos(1));
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("no server pauses the limiter for longer than its owner allows, whatever it says")
    void absurdRetryAfter() {
        for (String absurd : new String[] {
            "99999999999999999999", "9223372036854775807", "4000000000", "Fri, 31 Dec 9999 23:59:59 GMT"
        }) {
            RateLimiter own = limiter(Limit.of(10, ofSeconds(1)));
            answers.add(response(503, "Retry-After", absurd));
            send(client(RateLimitExchangeFilter.builder(own)
                            .maxPause(ofSeconds(5))
                            .build()))
                    .onErrorComplete()
                    .block();
            assertThat(own.tryAcquire().retryAfter()).as(absurd).contains(ofSeconds(5));
        }
    }

    @Test
    @DisplayName("a malformed header, or one of another answer, changes nothing")
    void malformed() {
        WebClient client = client(RateLimitExchangeFilter.with(limiter));
        answers.add(response(429, "Retry-After", "soon"));
        answers.add(response(429, "Retry-After", "-5"));
        answers.add(response(200, "RateLimit", "\"x"));
        answers.add(response(200, "RateLimit-Policy", "\"x\";q=ten;w=1"));
        answers.add(response(200, "RateLimit-Policy", "\"x\";q=-10;w=1"));
        answers.add(response(302, "Retry-After", "50"));
        for (int request = 0; request < 6; request++) {
            send(client).onErrorComplete().block();
        }
        assertThat(limiter.availablePermits()).isEqualTo(4);
        assertThat(limiter.limit()).isEqualTo(Limit.of(10, ofSeconds(1)));
    }

    @Test
    @DisplayName("a policy slows everybody down, down to what the owner allows, and a better one lets go again")
    void policies() {
        WebClient client = client(
                RateLimitExchangeFilter.builder(limiter).share(80).atLeast(20).build());
        answers.add(response(200, "RateLimit-Policy", "\"x\";q=5;w=1"));
        send(client).block();
        assertThat(limiter.limit()).isEqualTo(Limit.of(4, ofSeconds(1)));
        answers.add(response(200, "RateLimit-Policy", "\"x\";q=1;w=60"));
        send(client).block();
        assertThat(limiter.limit()).isEqualTo(Limit.of(2, ofSeconds(1)));
        time.advanceBy(ofSeconds(1));
        answers.add(response(200, "RateLimit-Policy", "\"x\";q=1000;w=1"));
        send(client).block();
        assertThat(limiter.limit()).isEqualTo(Limit.of(10, ofSeconds(1)));

        WebClient deaf = client(
                RateLimitExchangeFilter.builder(limiter).ignoringPolicies().build());
        answers.add(response(200, "RateLimit-Policy", "\"x\";q=5;w=1"));
        send(deaf).block();
        assertThat(limiter.limit()).isEqualTo(Limit.of(10, ofSeconds(1)));
    }

    @Test
    @DisplayName(
            "unless set, a pause lasts a minute at most, and a policy leaves a tenth of the rate, of windows up to a minute")
    void defaultBounds() {
        RateLimiter fast = limiter(Limit.of(100, ofSeconds(1)));
        WebClient client = client(RateLimitExchangeFilter.with(fast));
        answers.add(response(200, "RateLimit-Policy", "\"x\";q=1;w=61"));
        send(client).block();
        assertThat(fast.limit()).isEqualTo(Limit.of(100, ofSeconds(1)));
        answers.add(response(200, "RateLimit-Policy", "\"x\";q=1;w=60"));
        send(client).block();
        assertThat(fast.limit()).isEqualTo(Limit.of(10, ofSeconds(1)));
        answers.add(response(429, "Retry-After", "61"));
        send(client).onErrorComplete().block();
        assertThat(fast.tryAcquire().retryAfter()).contains(ofMinutes(1));
    }

    @Test
    @DisplayName("a chain is not changed by a policy, the response arrives, and the error is dropped aloud once")
    void policyForChain() {
        assertUnchanged(RateLimiter.chain(limiter));
    }

    @Test
    @DisplayName("a limiter whose own policy cannot be changed is left as it is")
    void policyForUnchangeable() {
        assertUnchanged(RateLimiter.builder(Limit.of(10, ofSeconds(1)))
                .policies((limit, key, now) -> unchangeable(limit.newPolicy(now)))
                .timeSource(time)
                .build());
    }

    private void assertUnchanged(RateLimiter fixed) {
        WebClient client = client(RateLimitExchangeFilter.with(fixed));
        List<Throwable> dropped = new ArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            for (int call = 1; call <= 2; call++) {
                answers.add(response(200, "RateLimit-Policy", "\"x\";q=5;w=1"));
                send(client).block();
                assertThat(fixed.limit()).isEqualTo(Limit.of(10, ofSeconds(1)));
                assertThat(fixed.availablePermits()).isEqualTo(10 - call);
            }
        } finally {
            Hooks.resetOnErrorDropped();
        }
        assertThat(dropped).singleElement().isInstanceOf(IllegalArgumentException.class);
    }

    /** Leaves the change of the limit as it is by default. */
    private static PermitPolicy unchangeable(PermitPolicy otherwise) {
        return (PermitPolicy) Proxy.newProxyInstance(
                PermitPolicy.class.getClassLoader(),
                new Class<?>[] {PermitPolicy.class},
                (proxy, method, arguments) -> method.getName().equals("reconfigure")
                        ? InvocationHandler.invokeDefault(proxy, method, arguments)
                        : method.invoke(otherwise, arguments));
    }

    @Test
    @DisplayName("the response tells what the request has cost")
    void actualCost() {
        RateLimiter tokens = limiter(Limit.of(1_000, ofMinutes(1)));
        WebClient client = client(RateLimitExchangeFilter.builder(tokens)
                .cost(request -> 100)
                .actualCost(response ->
                        Integer.parseInt(response.headers().asHttpHeaders().getFirst("X-Tokens")))
                .build());
        answers.add(response(200, "X-Tokens", "30"));
        send(client).block();
        assertThat(tokens.availablePermits()).isEqualTo(970);
        answers.add(response(200, "X-Tokens", "170"));
        send(client).block();
        assertThat(tokens.availablePermits()).isEqualTo(800);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no number", "-1"})
    @DisplayName(
            "an actual cost that cannot be told fails the call, which gives up the body, endless or not, and its room")
    void unknownActualCost(String told) {
        RateLimiter room = limiter(Limit.concurrency(1));
        AtomicInteger givenUp = new AtomicInteger();
        Flux<DataBuffer> whole = Flux.<DataBuffer>empty().doOnComplete(givenUp::incrementAndGet);
        Flux<DataBuffer> endless = Flux.<DataBuffer>never().doOnCancel(givenUp::incrementAndGet);
        answers.add(ClientResponse.create(HttpStatus.OK).body(whole).build());
        answers.add(ClientResponse.create(HttpStatus.OK).body(endless).build());
        WebClient client = client(RateLimitExchangeFilter.builder(room)
                .actualCost(response -> Integer.parseInt(told))
                .build());

        for (int call = 1; call <= 2; call++) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> send(client).block(ofSeconds(20)))
                    .withMessageContaining(told);
            assertThat(givenUp).hasValue(call);
            assertThat(room.availablePermits()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a cost that cannot be told fails the call before it is made, and takes nothing")
    void unknownCost() {
        WebClient client = client(RateLimitExchangeFilter.builder(limiter)
                .cost(request -> Integer.parseInt("no number"))
                .build());
        assertThatIllegalArgumentException().isThrownBy(() -> send(client).block());
        assertThat(attempts).hasValue(0);
        assertThat(limiter.availablePermits()).isEqualTo(10);
    }

    @Test
    @DisplayName("a negative cost fails the call before it is made, and takes nothing")
    void negativeCost() {
        WebClient client = client(
                RateLimitExchangeFilter.builder(limiter).cost(request -> -1).build());
        assertThatIllegalArgumentException().isThrownBy(() -> send(client).block());
        assertThat(attempts).hasValue(0);
        assertThat(limiter.availablePermits()).isEqualTo(10);
    }

    @Test
    @DisplayName("a call that costs nothing takes nothing, but waits while there is no permit")
    void noCost() {
        WebClient client = client(
                RateLimitExchangeFilter.builder(limiter).cost(request -> 0).build());
        send(client).block();
        assertThat(limiter.availablePermits()).isEqualTo(10);

        limiter.tryAcquire(10);
        Disposable waiting = send(client).subscribe();
        assertThat(attempts).hasValue(1);
        time.advanceBy(ofSeconds(1));
        Awaitility.await().atMost(ofSeconds(20)).until(waiting::isDisposed);
        assertThat(attempts).hasValue(2);
    }

    @Test
    @DisplayName("a cost above what a policy has left of the limit is paid in the end")
    void costAboveThePolicy() {
        WebClient client = client(
                RateLimitExchangeFilter.builder(limiter).cost(request -> 8).build());
        answers.add(response(200, "RateLimit-Policy", "\"x\";q=5;w=1"));
        send(client).block();
        assertThat(limiter.availablePermits()).isNotPositive();
        time.advanceBy(ofSeconds(1));
        send(client).block();
        assertThat(limiter.availablePermits()).isEqualTo(-3);
    }

    @Test
    @DisplayName("a cost above what there is of the limit is paid as well if the call fails or is given up")
    void costAboveTheLimitOfAFailedCall() {
        for (Mono<ClientResponse> exchange : List.of(
                Mono.<ClientResponse>error(new IllegalStateException("planned")), Mono.<ClientResponse>never())) {
            RateLimiter small = limiter(Limit.of(5, ofSeconds(1)));
            WebClient client = WebClient.builder()
                    .exchangeFunction(request -> exchange)
                    .filter(RateLimitExchangeFilter.builder(small)
                            .cost(request -> 8)
                            .build())
                    .build();
            send(client).onErrorComplete().subscribe().dispose();
            assertThat(small.availablePermits()).isEqualTo(-3);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EVICTED", "CLOSED"})
    @DisplayName("a call that is refused for another reason fails, also if a policy has slowed the limiter meanwhile")
    void refusedWhileSlowed(RefusalReason reason) {
        RateLimiter newestFirst = RateLimiter.builder(Limit.of(10, ofSeconds(1)))
                .queueOrder(QueueOrder.NEWEST_FIRST)
                .queueLimit(1)
                .timeSource(time)
                .build();
        Sinks.One<ClientResponse> slowing = Sinks.one();
        WebClient client = WebClient.builder()
                .exchangeFunction(request -> slowing.asMono())
                .filter(RateLimitExchangeFilter.with(newestFirst))
                .build();
        send(client).subscribe();
        newestFirst.tryAcquire(9);
        Mono<?> waiting = send(client).cache();
        waiting.subscribe(done -> {}, error -> {});
        slowing.tryEmitValue(response(200, "RateLimit-Policy", "\"x\";q=5;w=1"));
        assertThat(newestFirst.limit()).isEqualTo(Limit.of(5, ofSeconds(1)));

        if (reason == RefusalReason.CLOSED) {
            newestFirst.close();
        } else {
            newestFirst.acquire(1, newcomer -> {});
        }
        assertThatThrownBy(() -> waiting.block(ofSeconds(20)))
                .isInstanceOfSatisfying(
                        RateLimitExceededException.class,
                        refused -> assertThat(refused.lease().reason()).contains(reason));
    }

    @Test
    @DisplayName("a call that costs all there is of a closed limiter fails, and is not made anew")
    void allOfAClosedLimiter() {
        limiter.close();
        WebClient client = client(
                RateLimitExchangeFilter.builder(limiter).cost(request -> 10).build());
        assertThatThrownBy(() -> send(client).block()).isInstanceOf(IllegalStateException.class);
        assertThat(attempts).hasValue(0);
    }

    @Test
    @DisplayName("a date to come back at is that of the given clock if the response has none")
    void givenClock() {
        WebClient client = client(RateLimitExchangeFilter.builder(limiter)
                .clock(Clock.fixed(Instant.parse("2026-11-21T12:00:00Z"), ZoneOffset.UTC))
                .build());
        answers.add(response(503, "Retry-After", "Sat, 21 Nov 2026 12:00:30 GMT"));
        send(client).onErrorComplete().block();
        time.advanceBy(ofSeconds(30).minusNanos(1));
        assertThat(limiter.tryAcquire().reason()).contains(RefusalReason.PAUSED);
        time.advanceBy(ofNanos(1));
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a call that waits for more than a policy leaves waits for that, and pays the rest at last")
    void slowedWhileWaiting() {
        Sinks.One<ClientResponse> first = Sinks.one();
        Deque<Mono<ClientResponse>> responses = new ArrayDeque<>(List.of(first.asMono(), Mono.just(response(200))));
        WebClient client = WebClient.builder()
                .exchangeFunction(request -> responses.remove())
                .filter(RateLimitExchangeFilter.builder(limiter)
                        .cost(request -> 8)
                        .build())
                .build();
        Disposable slowing = send(client).subscribe();
        Mono<?> waiting = send(client).cache();
        waiting.subscribe(done -> {}, error -> {});
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(8);

        first.tryEmitValue(response(200, "RateLimit-Policy", "\"x\";q=5;w=1"));
        assertThat(slowing.isDisposed()).isTrue();
        Awaitility.await()
                .atMost(ofSeconds(20))
                .until(() -> limiter.statistics().queuedPermits() == 5);
        time.advanceBy(ofSeconds(1));
        waiting.block(ofSeconds(20));
        assertThat(limiter.availablePermits()).isEqualTo(-3);
    }

    @Test
    @DisplayName("a limit that becomes smaller just before it is asked is asked for less")
    void slowedWhileAsking() {
        AtomicInteger asked = new AtomicInteger();
        RateLimiter slowed = (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("acquire") && asked.getAndIncrement() == 0) {
                        limiter.reconfigure(Limit.of(5, ofSeconds(1)));
                    }
                    return invoked(method, arguments);
                });
        send(client(RateLimitExchangeFilter.builder(slowed).cost(request -> 8).build()))
                .block();
        assertThat(asked).hasValue(2);
        assertThat(limiter.availablePermits()).isEqualTo(-3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "a call that a policy left too little for asks anew, also if the next policy has raised the limit by then")
    void slowedAndRaisedMeanwhile(boolean isWaiting) {
        Sinks.One<ClientResponse> slowing = Sinks.one();
        Sinks.One<ClientResponse> raising = Sinks.one();
        Deque<Mono<ClientResponse>> responses =
                new ArrayDeque<>(List.of(slowing.asMono(), raising.asMono(), Mono.just(response(200))));
        Runnable slow = () -> slowing.tryEmitValue(response(200, "RateLimit-Policy", "\"x\";q=5;w=1"));
        Runnable raise = () -> raising.tryEmitValue(response(200, "RateLimit-Policy", "\"x\";q=100;w=1"));
        AtomicInteger asked = new AtomicInteger();
        RateLimiter changing = (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("acquire") || asked.incrementAndGet() != 3) {
                        return invoked(method, arguments);
                    }
                    if (!isWaiting) {
                        slow.run();
                    }
                    try {
                        return invoked(method, arguments);
                    } finally {
                        slow.run();
                        raise.run();
                    }
                });
        WebClient client = WebClient.builder()
                .exchangeFunction(request -> responses.remove())
                .filter(RateLimitExchangeFilter.builder(changing)
                        .cost(request -> request.url().getPath().equals("/large") ? 8 : 1)
                        .build())
                .build();
        limiter.tryAcquire();
        send(client).subscribe();
        send(client).subscribe();

        Mono<?> large = client.get().uri("/large").retrieve().toBodilessEntity().cache();
        large.subscribe(done -> {}, error -> {});
        assertThat(limiter.limit()).isEqualTo(Limit.of(10, ofSeconds(1)));
        assertThat(asked).hasValue(4);
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(8);
        time.advanceBy(ofSeconds(1));
        large.block(ofSeconds(20));
        assertThat(limiter.availablePermits()).isEqualTo(2);
    }

    @Test
    @DisplayName("a lease of concurrency lasts until the body is read, or the exchange fails or is given up")
    void concurrency() {
        RateLimiter room = limiter(Limit.concurrency(1));
        WebClient client = client(RateLimitExchangeFilter.with(room));
        send(client).block();
        assertThat(room.availablePermits()).isEqualTo(1);
        WebClient failing = WebClient.builder()
                .exchangeFunction(request -> Mono.error(new IllegalStateException("planned")))
                .filter(RateLimitExchangeFilter.with(room))
                .build();
        send(failing).onErrorComplete().block();
        assertThat(room.availablePermits()).isEqualTo(1);
        WebClient hanging = WebClient.builder()
                .exchangeFunction(request -> Mono.never())
                .filter(RateLimitExchangeFilter.with(room))
                .build();
        Disposable hung = send(hanging).subscribe();
        assertThat(room.availablePermits()).isZero();
        hung.dispose();
        assertThat(room.availablePermits()).isEqualTo(1);
        client.get()
                .uri("/")
                .exchangeToMono(response -> {
                    assertThat(room.availablePermits()).isZero();
                    return response.releaseBody();
                })
                .block();
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a limiter that is closed while a response is on its way is not the response's business")
    void closedMeanwhile() {
        WebClient client = WebClient.builder()
                .exchangeFunction(request -> Mono.fromSupplier(() -> {
                    limiter.close();
                    return response(429, "Retry-After", "1");
                }))
                .filter(RateLimitExchangeFilter.with(limiter))
                .build();
        assertThat(client.get()
                        .uri("/")
                        .exchangeToMono(
                                response -> Mono.just(response.statusCode().value()))
                        .block())
                .isEqualTo(429);
    }

    @Test
    @DisplayName("settings that make no sense are named")
    void wrongSettings() {
        RateLimitExchangeFilter.Builder builder = RateLimitExchangeFilter.builder(limiter);
        builder.share(1).share(100).atLeast(1).atLeast(100);
        assertThatIllegalArgumentException().isThrownBy(() -> builder.share(0)).withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.atLeast(101))
                .withMessageContaining("101");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxPause(ofMillis(-1)))
                .withMessageContaining("longest");
    }

    private WebClient client(RateLimitExchangeFilter filter) {
        return WebClient.builder().exchangeFunction(server).filter(filter).build();
    }

    private static Mono<?> send(WebClient client) {
        return client.get().uri("/").retrieve().toBodilessEntity();
    }

    private static ClientResponse response(int status, String... field) {
        ClientResponse.Builder builder = ClientResponse.create(HttpStatus.valueOf(status));
        if (field.length > 0) {
            builder.header(field[0], field[1]);
        }
        return builder.build();
    }

    private Object invoked(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(limiter, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).name("server").timeSource(time).build();
    }
}
