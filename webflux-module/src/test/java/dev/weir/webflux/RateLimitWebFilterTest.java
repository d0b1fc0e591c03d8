package dev.weir.webflux;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.springframework.http.HttpStatus.FORBIDDEN;
import static org.springframework.http.HttpStatus.OK;
import static org.springframework.http.HttpStatus.SERVICE_UNAVAILABLE;
import static org.springframework.http.HttpStatus.TOO_MANY_REQUESTS;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.WebFilterChain;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

class RateLimitWebFilterTest {

    private final VirtualTimeSource time = new VirtualTimeSource(Long.MAX_VALUE - 1_000);

    @Test
    @DisplayName("a request over the limit is refused as 429, with the next permit's time and a problem")
    void refusal() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter("api", Limit.of(2, ofMillis(2_500))))
                .build();

        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
        MockServerHttpResponse refused = Requests.send(filter, Requests.get("/"));

        assertThat(refused.getStatusCode()).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(refused.getHeaders().getFirst("Retry-After")).isEqualTo("3");
        assertThat(refused.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
        assertThat(Requests.body(refused))
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Too many requests\",\"status\":429,\"violated-policies\":[\"api\"]}");
    }

    @Test
    @DisplayName("a client that obeys Retry-After is let in")
    void retryAfterSucceeds() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter("api", Limit.tokenBucket(3, 1, ofMillis(1_700))))
                .build();
        for (int round = 0; round < 50; round++) {
            MockServerHttpResponse response = Requests.send(filter, Requests.get("/"));
            if (response.getStatusCode() == TOO_MANY_REQUESTS) {
                String seconds = response.getHeaders().getFirst("Retry-After");
                assertThat(seconds).matches("[1-9]\\d*");
                time.advanceBy(ofSeconds(Long.parseLong(seconds)));
                assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
            }
        }
    }

    @Test
    @DisplayName("a name that is not fit for a header or for JSON is made so, and is the same in both")
    void hostileNames() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter("a\"b\\c\r\nX: \u00fc \ud83d\ude80 50%", Limit.of(1, ofSeconds(1))))
                .headers(HeaderStyle.DRAFT_11)
                .build();
        Requests.send(filter, Requests.get("/"));
        MockServerHttpResponse refused = Requests.send(filter, Requests.get("/"));

        assertThat(refused.getHeaders().getFirst("RateLimit"))
                .isEqualTo("\"a\\\"b\\\\c%0d%0aX: %c3%bc %f0%9f%9a%80 50%25\";r=0;t=1");
        assertThat(Requests.body(refused))
                .endsWith("\"violated-policies\":[\"a\\u0022b\\u005cc%0d%0aX: %c3%bc %f0%9f%9a%80 50%25\"]}");
    }

    @Test
    @DisplayName("a request that may wait takes its turn, and is refused when the queue is full")
    void waiting() {
        RateLimiter limiter = RateLimiter.builder(Limit.leakyBucket(1, ofSeconds(1)))
                .name("paced")
                .queueLimit(1)
                .timeSource(time)
                .build();
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().limit(limiter).waiting().build();
        AtomicInteger served = new AtomicInteger();
        WebFilterChain serving = exchange -> Mono.fromRunnable(served::incrementAndGet);

        filter.filter(Requests.get("/"), serving).block();
        Disposable second = filter.filter(Requests.get("/"), serving).subscribe();
        MockServerHttpResponse third = Requests.send(filter, Requests.get("/"));

        assertThat(third.getStatusCode()).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(third.getHeaders().getFirst("Retry-After")).isNotNull();
        assertThat(served).hasValue(1);
        time.advanceBy(ofSeconds(1));
        Awaitility.await().until(second::isDisposed);
        assertThat(served).hasValue(2);
    }

    @Test
    @DisplayName("a wait that cannot fit its bound is refused at once")
    void boundedWait() {
        RateLimiter limiter = limiter("paced", Limit.leakyBucket(1, ofSeconds(10)));
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter)
                .waiting(ofSeconds(9))
                .build();
        Requests.send(filter, Requests.get("/"));

        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("several limits are all or nothing, and the one that refused is named")
    void severalLimits() {
        RateLimiter everybody = limiter("everybody", Limit.of(10, ofMinutes(1)));
        PartitionedRateLimiter<String> perAddress = perKey("per-address", Limit.of(2, ofMinutes(1)));
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(everybody)
                .limit(ClientAddress.ofPeer(), perAddress)
                .headers(HeaderStyle.DRAFT_11)
                .build();
        Requests.send(filter, Requests.from("192.0.2.1"));
        Requests.send(filter, Requests.from("192.0.2.1"));

        MockServerHttpResponse refused = Requests.send(filter, Requests.from("192.0.2.1"));

        assertThat(Requests.body(refused)).contains("[\"per-address\"]");
        assertThat(everybody.availablePermits()).isEqualTo(8);
        assertThat(everybody.statistics().acquired()).isEqualTo(2);
        assertThat(Requests.status(filter, Requests.from("192.0.2.2"))).isEqualTo(OK);
    }

    @Test
    @DisplayName(
            "a request costs what it says, nothing costs nothing, and more than there ever is, is refused for good")
    void costs() {
        RateLimiter limiter = limiter("api", Limit.of(10, ofMinutes(1)));
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter)
                .cost(exchange ->
                        Integer.parseInt(exchange.getRequest().getPath().value().substring(1)))
                .build();

        assertThat(Requests.status(filter, Requests.get("/7"))).isEqualTo(OK);
        assertThat(limiter.availablePermits()).isEqualTo(3);
        assertThat(Requests.status(filter, Requests.get("/4"))).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(Requests.status(filter, Requests.get("/3"))).isEqualTo(OK);
        assertThat(Requests.status(filter, Requests.get("/0"))).isEqualTo(OK);
        MockServerHttpResponse tooLarge = Requests.send(filter, Requests.get("/11"));
        assertThat(tooLarge.getStatusCode()).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(tooLarge.getHeaders().getFirst("Retry-After")).isNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Requests.send(filter, Requests.get("/-1")))
                .withMessageContaining("-1");
    }

    @Test
    @DisplayName("a request whose cost becomes too large while it waits or asks is refused for good")
    void costsTooMuchMeanwhile() {
        RateLimiter limiter = limiter("api", Limit.of(5, ofMinutes(1)));
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter)
                .cost(exchange -> 5)
                .waiting()
                .build();
        MockServerWebExchange waiting = Requests.get("/");
        CompletableFuture<Void> answered = filter.filter(waiting, Requests.OK).toFuture();
        assertThat(answered).isNotDone();
        limiter.reconfigure(Limit.of(3, ofMinutes(1)));
        assertThat(answered).succeedsWithin(ofSeconds(10));
        assertThat(waiting.getResponse().getStatusCode()).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(waiting.getResponse().getHeaders().getFirst("Retry-After")).isNull();

        RateLimiter shrinking = (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("acquire")) {
                        limiter.reconfigure(Limit.of(2, ofMinutes(1)));
                    }
                    try {
                        return method.invoke(limiter, arguments);
                    } catch (InvocationTargetException complaint) {
                        throw complaint.getCause();
                    }
                });
        RateLimitWebFilter late = RateLimitWebFilter.builder()
                .limit(shrinking)
                .cost(exchange -> 3)
                .waiting()
                .build();
        MockServerHttpResponse tooLarge = Requests.send(late, Requests.get("/"));
        assertThat(tooLarge.getStatusCode()).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(tooLarge.getHeaders().getFirst("Retry-After")).isNull();
    }

    @Test
    @DisplayName("a request's actual cost is settled once when its response is over, however it ended")
    void actualCost() {
        RateLimiter limiter = limiter("api", Limit.of(10, ofMinutes(1)));
        AtomicInteger actual = new AtomicInteger();
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter)
                .cost(exchange -> 5)
                .actualCost(exchange -> actual.get())
                .build();

        actual.set(2);
        Requests.send(filter, Requests.get("/"));
        assertThat(limiter.availablePermits()).isEqualTo(8);
        actual.set(6);
        filter.filter(Requests.get("/"), exchange -> Mono.error(new IllegalStateException("planned")))
                .onErrorComplete()
                .block();
        assertThat(limiter.availablePermits()).isEqualTo(2);
        time.advanceBy(ofMinutes(1));
        filter.filter(Requests.get("/"), exchange -> Mono.never()).subscribe().dispose();
        assertThat(limiter.availablePermits()).isEqualTo(4);
    }

    @Test
    @DisplayName("a limit of concurrency gets its permit back when the response ends, fails or is given up")
    void concurrency() {
        RateLimiter limiter = limiter("room", Limit.concurrency(1));
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().protect(limiter).build();

        Disposable busy =
                filter.filter(Requests.get("/"), exchange -> Mono.never()).subscribe();
        MockServerHttpResponse refused = Requests.send(filter, Requests.get("/"));
        assertThat(refused.getStatusCode()).isEqualTo(SERVICE_UNAVAILABLE);
        assertThat(refused.getHeaders().getFirst("Retry-After")).isEqualTo("1");
        assertThat(Requests.body(refused)).contains("#temporary-reduced-capacity", "[\"room\"]");
        busy.dispose();
        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
        filter.filter(Requests.get("/"), exchange -> Mono.error(new IllegalStateException("planned")))
                .onErrorComplete()
                .block();
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a waiting request answers 503 when the limiter is closed")
    void closedWhileWaiting() {
        RateLimiter limiter = limiter("api", Limit.of(1, ofMinutes(1)));
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().limit(limiter).waiting().build();
        Requests.send(filter, Requests.get("/"));
        var waiting = Requests.get("/");
        Disposable sent = filter.filter(waiting, Requests.OK).subscribe();

        limiter.close();

        Awaitility.await().until(sent::isDisposed);
        assertThat(waiting.getResponse().getStatusCode()).isEqualTo(SERVICE_UNAVAILABLE);
    }

    @Test
    @DisplayName("a request that cannot wait for want of a timer answers 503")
    void withoutTimer() {
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, ofMinutes(1)))
                .name("api")
                .timeSource(new TimeSource() {
                    @Override
                    public long nanoTime() {
                        return time.nanoTime();
                    }

                    @Override
                    public Cancellable schedule(Runnable task, long delayNanos) {
                        throw new RejectedExecutionException("shut down");
                    }
                })
                .build();
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().limit(limiter).waiting().build();

        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(SERVICE_UNAVAILABLE);
    }

    @Test
    @DisplayName("a request goes on on its thread without a wait, and on a parallel one after a wait")
    void threads() {
        RateLimiter limiter = limiter("paced", Limit.leakyBucket(1, ofSeconds(1)));
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().limit(limiter).waiting().build();
        List<String> threads = new CopyOnWriteArrayList<>();
        WebFilterChain serving = exchange ->
                Mono.fromRunnable(() -> threads.add(Thread.currentThread().getName()));

        filter.filter(Requests.get("/"), serving).block();
        Disposable second = filter.filter(Requests.get("/"), serving).subscribe();
        time.advanceBy(ofSeconds(1));
        Awaitility.await().until(second::isDisposed);

        assertThat(threads).hasSize(2).startsWith(Thread.currentThread().getName());
        assertThat(threads.get(1)).startsWith("parallel-");
    }

    @Test
    @DisplayName("requests without a key: shared, refused or passed over, as said")
    void withoutKey() {
        assertThat(statusOfTwoWithoutKey(WithoutKey.SHARE)).containsExactly(OK, TOO_MANY_REQUESTS);
        assertThat(statusOfTwoWithoutKey(WithoutKey.REFUSE)).containsExactly(FORBIDDEN, FORBIDDEN);
        assertThat(statusOfTwoWithoutKey(WithoutKey.SKIP)).containsExactly(OK, OK);
    }

    private Object[] statusOfTwoWithoutKey(WithoutKey policy) {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(RequestKey.principal(), perKey("per-user", Limit.of(1, ofMinutes(1))), policy)
                .build();
        assertThat(Requests.status(filter, Requests.by("ada"))).isEqualTo(OK);
        return new Object[] {Requests.status(filter, Requests.get("/")), Requests.status(filter, Requests.get("/"))};
    }

    @Test
    @DisplayName("only the paths and requests that are meant are held against the limits")
    void matching() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter("api", Limit.of(1, ofMinutes(1))))
                .paths("/api/**")
                .matching(exchange -> exchange.getRequest().getQueryParams().isEmpty())
                .order(-200)
                .build();
        Requests.send(filter, Requests.get("/api/a"));
        assertThat(Requests.status(filter, Requests.get("/api/b"))).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(Requests.status(filter, Requests.get("/api/b?x=1"))).isEqualTo(OK);
        assertThat(Requests.status(filter, Requests.get("/other"))).isEqualTo(OK);
        assertThat(filter.getOrder()).isEqualTo(-200);
    }

    @Test
    @DisplayName(
            "the metrics name a refused request by the pattern of the filter, and leave names alone that are there")
    void nameForMetrics() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter("api", Limit.of(1, ofMinutes(1))))
                .paths("/other", "api/{id}")
                .build();
        assertThat(patternInMetrics(filter, null))
                .as("admitted, and so of its handler")
                .isNull();
        assertThat(patternInMetrics(filter, null)).isEqualTo("/api/{id}");
        assertThat(patternInMetrics(filter, "/of-handler")).isEqualTo("/of-handler");

        RateLimitWebFilter ofAllPaths = RateLimitWebFilter.builder()
                .limit(limiter("all", Limit.of(1, ofMinutes(1))))
                .build();
        Requests.send(ofAllPaths, Requests.get("/"));
        assertThat(patternInMetrics(ofAllPaths, null)).isNull();
    }

    private static @Nullable String patternInMetrics(RateLimitWebFilter filter, @Nullable String before) {
        MockServerWebExchange exchange = Requests.get("/api/7");
        ServerRequestObservationContext observed = new ServerRequestObservationContext(
                exchange.getRequest(), exchange.getResponse(), exchange.getAttributes());
        observed.setPathPattern(before);
        exchange.getAttributes().put(ServerRequestObservationContext.CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE, observed);
        Requests.send(filter, exchange);
        return observed.getPathPattern();
    }

    @Test
    @DisplayName(
            "paths that are set one after the other add up; what else is set restricts them all, wherever it is set")
    void pathsAddUp() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter("api", Limit.of(1, ofMinutes(1))))
                .paths("/api/**")
                .matching(exchange -> exchange.getRequest().getQueryParams().isEmpty())
                .paths("/admin/**")
                .matching(exchange -> !exchange.getRequest().getPath().value().endsWith("/health"))
                .build();
        assertThat(Requests.status(filter, Requests.get("/api/x"))).isEqualTo(OK);
        assertThat(Requests.status(filter, Requests.get("/api/x"))).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(Requests.status(filter, Requests.get("/admin/x"))).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(Requests.status(filter, Requests.get("/admin/x?y=1"))).isEqualTo(OK);
        assertThat(Requests.status(filter, Requests.get("/admin/health"))).isEqualTo(OK);
        assertThat(Requests.status(filter, Requests.get("/other"))).isEqualTo(OK);
    }

    @Test
    @DisplayName(
            "a pattern without a slash at its beginning is meant to have one, and no pattern or a blank one is a mistake")
    void patterns() {
        RateLimitWebFilter.Builder builder =
                RateLimitWebFilter.builder().limit(limiter("api", Limit.of(1, ofMinutes(1))));
        assertThatIllegalArgumentException().isThrownBy(builder::paths).withMessageContaining("pattern");
        for (String blank : List.of("", " ")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> builder.paths("/api/**", blank))
                    .withMessage("a pattern must not be blank");
        }
        RateLimitWebFilter filter = builder.paths("api/**").build();
        assertThat(Requests.status(filter, Requests.get("/api/a"))).isEqualTo(OK);
        assertThat(Requests.status(filter, Requests.get("/api/b"))).isEqualTo(TOO_MANY_REQUESTS);
    }

    @Test
    @DisplayName("a filter without a limit cannot be made")
    void noLimit() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateLimitWebFilter.builder().build())
                .withMessageContaining("limit");
    }

    private RateLimiter limiter(String name, Limit limit) {
        return RateLimiter.builder(limit).name(name).timeSource(time).build();
    }

    private PartitionedRateLimiter<String> perKey(String name, Limit limit) {
        return PartitionedRateLimiter.<String>builder(key -> limit)
                .name(name)
                .timeSource(time)
                .build();
    }

    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(20));
    }
}
