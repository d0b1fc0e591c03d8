package dev.weir.webflux;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;

class HeaderStyleTest {

    private final VirtualTimeSource time = new VirtualTimeSource();

    static Stream<Arguments> limits() {
        return Stream.of(
                Arguments.of(Limit.of(5, ofMinutes(1)), "\"x\";q=5;w=60", "\"x\";r=4;t=60"),
                Arguments.of(Limit.of(5, ofMillis(100)), "\"x\";q=5;w=1", "\"x\";r=4;t=1"),
                Arguments.of(Limit.of(5, ofMillis(1_001)), "\"x\";q=5;w=2", "\"x\";r=4;t=2"),
                Arguments.of(Limit.fixedWindow(5, ofHours(1)), "\"x\";q=5;w=3600", "\"x\";r=4;t=3600"),
                Arguments.of(Limit.slidingWindow(5, ofSeconds(9), 3), "\"x\";q=5;w=9", "\"x\";r=4;t=9"),
                Arguments.of(Limit.slidingWindowCounter(5, ofSeconds(9)), "\"x\";q=5;w=9", "\"x\";r=4;t=9"),
                Arguments.of(Limit.tokenBucket(100, 10, ofSeconds(1)), "\"x\";q=100;w=10", "\"x\";r=99;t=10"),
                Arguments.of(Limit.tokenBucket(3, 7, ofSeconds(7).plusNanos(1)), "\"x\";q=3;w=4", "\"x\";r=2;t=4"),
                Arguments.of(Limit.leakyBucket(5, ofSeconds(9)).withSlack(2), "\"x\";q=5;w=9", "\"x\";r=2;t=9"),
                Arguments.of(Limit.leakyBucket(5, ofSeconds(1)).withSlack(20), "\"x\";q=5;w=1", "\"x\";r=5;t=1"),
                Arguments.of(
                        Limit.leakyBucket(1, ofMillis(1)).withSlack(Integer.MAX_VALUE),
                        "\"x\";q=1;w=1",
                        "\"x\";r=1;t=1"),
                Arguments.of(Limit.concurrency(5), "\"x\";q=5;qu=\"concurrent-requests\"", "\"x\";r=4"),
                Arguments.of(
                        Limit.allOf(Limit.of(5, ofSeconds(1)), Limit.of(50, ofMinutes(1))),
                        "\"x\";q=5;w=1, \"x-2\";q=50;w=60",
                        "\"x\";r=4;t=60"),
                Arguments.of(
                        Limit.allOf(Limit.leakyBucket(5, ofSeconds(1)).withSlack(20), Limit.of(1_000, ofMinutes(1))),
                        "\"x\";q=5;w=1, \"x-2\";q=1000;w=60",
                        "\"x\";r=5;t=60"),
                Arguments.of(
                        Limit.allOf(
                                Limit.of(500, ofMinutes(1)).countingCalls(),
                                Limit.tokenBucket(100_000, 100_000, ofMinutes(1))),
                        "\"x\";q=500;w=60, \"x-2\";q=100000;w=60",
                        "\"x\";r=99999;t=60"),
                Arguments.of(
                        Limit.allOf(
                                Limit.of(9, ofSeconds(1)).countingCalls(),
                                Limit.of(7, ofMinutes(1)).countingCalls()),
                        "\"x\";q=9;w=1, \"x-2\";q=7;w=60",
                        "\"x\";r=7;t=60"),
                Arguments.of(Limit.of(5, ofSeconds(2)).countingCalls(), "\"x\";q=5;w=2", "\"x\";r=4;t=2"),
                Arguments.of(Limit.of(1, ofSeconds(5)), "\"x\";q=1;w=5", "\"x\";r=0"),
                Arguments.of(Limit.unlimited(), null, null));
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("draft 11: what is told with what passes")
    @MethodSource("limits")
    void draft(Limit limit, String policy, String state) {
        HttpHeaders headers = Requests.send(filter(HeaderStyle.DRAFT_11, limiter("x", limit)), Requests.get("/"))
                .getHeaders();
        assertThat(headers.getFirst("RateLimit-Policy")).isEqualTo(policy);
        assertThat(headers.getFirst("RateLimit")).isEqualTo(state);
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("X-RateLimit: what is left is that of draft 11, and no more than the limit")
    @MethodSource("limits")
    void legacyOfEach(Limit limit, String policy, String state) {
        HttpHeaders headers = Requests.send(filter(HeaderStyle.X_RATELIMIT, limiter("x", limit)), Requests.get("/"))
                .getHeaders();
        String remaining = headers.getFirst("X-RateLimit-Remaining");
        if (state == null) {
            assertThat(remaining).isNull();
        } else {
            assertThat(state + ";").contains(";r=" + remaining + ";");
            assertThat(policy + ";").contains(";q=" + headers.getFirst("X-RateLimit-Limit") + ";");
            assertThat(Integer.parseInt(remaining))
                    .isLessThanOrEqualTo(Integer.parseInt(headers.getFirst("X-RateLimit-Limit")));
        }
    }

    @Test
    @DisplayName("with a refusal, the time is that of Retry-After")
    void refused() {
        RateLimitWebFilter filter = filter(HeaderStyle.DRAFT_11, limiter("x", Limit.of(1, ofMillis(4_100))));
        Requests.send(filter, Requests.get("/"));
        time.advanceBy(ofSeconds(1));
        HttpHeaders headers = Requests.send(filter, Requests.get("/")).getHeaders();
        assertThat(headers.getFirst("Retry-After")).isEqualTo("4");
        assertThat(headers.getFirst("RateLimit")).isEqualTo("\"x\";r=0;t=4");
    }

    @ParameterizedTest
    @EnumSource(names = {"DRAFT_11", "X_RATELIMIT"})
    @DisplayName("with a refusal nothing is left until Retry-After, though less than the request costs may be")
    void refusedWithSomethingLeft(HeaderStyle style) {
        RateLimiter limiter = limiter("x", Limit.of(60, ofMinutes(1)));
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter)
                .cost(exchange -> 4)
                .headers(style)
                .build();
        limiter.tryAcquire(57);
        time.advanceBy(ofSeconds(58));

        HttpHeaders headers = Requests.send(filter, Requests.get("/")).getHeaders();
        assertThat(limiter.availablePermits()).isEqualTo(3);
        assertThat(headers.getFirst("Retry-After")).isEqualTo("2");
        if (style == HeaderStyle.DRAFT_11) {
            assertThat(headers.getFirst("RateLimit")).isEqualTo("\"x\";r=0;t=2");
        } else {
            assertThat(headers.getFirst("X-RateLimit-Remaining")).isEqualTo("0");
            assertThat(headers.getFirst("X-RateLimit-Reset")).isEqualTo("2");
        }
    }

    @Test
    @DisplayName("a request that costs nothing is told what there is, too")
    void costsNothing() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter("x", Limit.of(10, ofMinutes(1))))
                .cost(exchange -> 0)
                .headers(HeaderStyle.DRAFT_11)
                .build();
        HttpHeaders headers = Requests.send(filter, Requests.get("/")).getHeaders();
        assertThat(headers.getFirst("RateLimit-Policy")).isEqualTo("\"x\";q=10;w=60");
        assertThat(headers.getFirst("RateLimit")).isEqualTo("\"x\";r=10;t=60");
    }

    @Test
    @DisplayName("several limits are a list, in one filter or in two")
    void several() {
        RateLimitWebFilter both = filter(
                HeaderStyle.DRAFT_11, limiter("a", Limit.of(3, ofSeconds(1))), limiter("b", Limit.of(7, ofSeconds(9))));
        RateLimitWebFilter third = filter(HeaderStyle.DRAFT_11, limiter("c", Limit.of(2, ofSeconds(1))));
        var exchange = Requests.get("/");

        both.filter(exchange, next -> third.filter(next, Requests.OK)).block();

        List<String> told = // without the quotes
                exchange.getResponse().getHeaders().getValuesAsList("RateLimit");
        assertThat(told).containsExactly("a;r=2;t=1", "b;r=6;t=9", "c;r=1;t=1");
    }

    @Test
    @DisplayName("X-RateLimit: the limit with the least remaining, in one filter or in two")
    void legacy() {
        RateLimitWebFilter both = filter(
                HeaderStyle.X_RATELIMIT,
                limiter("a", Limit.of(9, ofSeconds(1))),
                limiter("b", Limit.of(5, ofSeconds(30))));
        RateLimitWebFilter third = filter(HeaderStyle.X_RATELIMIT, limiter("c", Limit.of(8, ofSeconds(1))));
        for (List<RateLimitWebFilter> order : List.of(List.of(both, third), List.of(third, both))) {
            var exchange = Requests.get("/");
            order.get(0)
                    .filter(exchange, next -> order.get(1).filter(next, Requests.OK))
                    .block();
            HttpHeaders headers = exchange.getResponse().getHeaders();
            assertThat(headers.getFirst("X-RateLimit-Limit")).isEqualTo("5");
            assertThat(headers.getFirst("X-RateLimit-Reset")).isEqualTo("30");
        }
    }

    @Test
    @DisplayName("X-RateLimit: all three fields are of one limit, also where another filter wrote before")
    void legacyOfOneLimit() {
        RateLimitWebFilter hourly = filter(HeaderStyle.X_RATELIMIT, limiter("hourly", Limit.of(1_000, ofHours(1))));
        RateLimitWebFilter strict = filter(HeaderStyle.X_RATELIMIT, limiter("strict", Limit.of(1, ofSeconds(1))));
        RateLimitWebFilter room = filter(HeaderStyle.X_RATELIMIT, limiter("room", Limit.concurrency(1)));

        HttpHeaders headers = through(hourly, strict);
        assertThat(headers.getFirst("X-RateLimit-Limit")).isEqualTo("1");
        assertThat(headers.getFirst("X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(headers.getFirst("X-RateLimit-Reset")).isNull();

        headers = through(hourly, strict);
        assertThat(headers.getFirst("Retry-After")).isEqualTo("1");
        assertThat(headers.getFirst("X-RateLimit-Limit")).isEqualTo("1");
        assertThat(headers.getFirst("X-RateLimit-Reset")).isEqualTo("1");

        headers = through(hourly, room);
        assertThat(headers.getFirst("X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(headers.getFirst("X-RateLimit-Reset")).isNull();
    }

    @Test
    @DisplayName("X-RateLimit: a client that has got the last permit is told no time to stay away, as nobody knows it")
    void legacyOfTheLastPermit() {
        RateLimitWebFilter paced =
                filter(HeaderStyle.X_RATELIMIT, limiter("paced", Limit.leakyBucket(100, ofSeconds(1))));
        for (int i = 0; i < 3; i++) {
            MockServerHttpResponse response = Requests.send(paced, Requests.get("/"));
            assertThat(response.getStatusCode()).isNotEqualTo(HttpStatus.TOO_MANY_REQUESTS);
            assertThat(response.getHeaders().getFirst("X-RateLimit-Remaining")).isEqualTo("0");
            assertThat(ServerAdvice.of(200, response.getHeaders(), Clock.systemUTC())
                            .pause())
                    .isEmpty();
            time.advanceBy(ofMillis(10));
        }
    }

    @Test
    @DisplayName(
            "X-RateLimit: with a refusal the time is that of Retry-After, also if a longer window has nothing left")
    void legacyRefusedBesideALongerWindow() {
        RateLimitWebFilter both = filter(
                HeaderStyle.X_RATELIMIT,
                limiter("strict", Limit.of(1, ofSeconds(2))),
                limiter("hourly", Limit.of(2, ofHours(1))));
        Requests.send(both, Requests.get("/"));
        time.advanceBy(ofSeconds(2));
        Requests.send(both, Requests.get("/"));
        HttpHeaders headers = Requests.send(both, Requests.get("/")).getHeaders();
        assertThat(headers.getFirst("X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(headers.getFirst("X-RateLimit-Reset")).isNotNull().isEqualTo(headers.getFirst("Retry-After"));
    }

    @Test
    @DisplayName("X-RateLimit: of several limits with nothing left, the one for which that lasts longest")
    void legacyOfTheLongest() {
        RateLimitWebFilter paced =
                filter(HeaderStyle.X_RATELIMIT, limiter("paced", Limit.leakyBucket(100, ofSeconds(1))));
        RateLimitWebFilter room = filter(HeaderStyle.X_RATELIMIT, limiter("room", Limit.concurrency(1)));
        RateLimitWebFilter hourly = filter(HeaderStyle.X_RATELIMIT, limiter("hourly", Limit.of(1, ofHours(1))));

        HttpHeaders passed = through(paced, hourly);
        time.advanceBy(ofMillis(10));
        HttpHeaders refused = through(paced, hourly);
        HttpHeaders besideRoom = through(room, hourly);

        assertThat(refused.getFirst("Retry-After")).isEqualTo("3600");
        assertThat(passed.getFirst("X-RateLimit-Reset")).isNull();
        assertThat(List.of(refused, besideRoom))
                .extracting(headers -> headers.getFirst("X-RateLimit-Reset"))
                .containsOnly("3600");
        for (HttpHeaders headers : List.of(passed, refused, besideRoom)) {
            assertThat(headers.getFirst("X-RateLimit-Limit")).isEqualTo("1");
            assertThat(headers.getFirst("X-RateLimit-Remaining")).isEqualTo("0");
        }
    }

    @Test
    @DisplayName("a limit that two filters ask is one item, of what is left after both; limits of one name are two")
    void sameLimitTwice() {
        RateLimiter api = limiter("api", Limit.of(9, ofSeconds(1)));
        HttpHeaders headers = through(
                filter(HeaderStyle.DRAFT_11, api, limiter("a", Limit.of(3, ofSeconds(1)))),
                filter(HeaderStyle.DRAFT_11, api, limiter("a", Limit.of(5, ofSeconds(1)))));
        assertThat(headers.getValuesAsList("RateLimit-Policy"))
                .containsExactly("api;q=9;w=1", "a;q=3;w=1", "a;q=5;w=1");
        assertThat(headers.getValuesAsList("RateLimit")).containsExactly("api;r=7;t=1", "a;r=2;t=1", "a;r=4;t=1");
    }

    private static HttpHeaders through(RateLimitWebFilter first, RateLimitWebFilter second) {
        var exchange = Requests.get("/");
        first.filter(exchange, next -> second.filter(next, Requests.OK)).block();
        return exchange.getResponse().getHeaders();
    }

    @Test
    @DisplayName("none says nothing")
    void none() {
        HttpHeaders headers = Requests.send(
                        filter(HeaderStyle.NONE, limiter("x", Limit.of(1, ofSeconds(1)))), Requests.get("/"))
                .getHeaders();
        assertThat(headers.getFirst("RateLimit")).isNull();
        assertThat(headers.getFirst("X-RateLimit-Limit")).isNull();
    }

    private RateLimitWebFilter filter(HeaderStyle style, RateLimiter... limiters) {
        RateLimitWebFilter.Builder builder = RateLimitWebFilter.builder().headers(style);
        for (RateLimiter limiter : limiters) {
            builder.limit(limiter);
        }
        return builder.build();
    }

    private RateLimiter limiter(String name, Limit limit) {
        return RateLimiter.builder(limit).name(name).timeSource(time).build();
    }
}
