package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.http.HttpStatus.FORBIDDEN;
import static org.springframework.http.HttpStatus.OK;
import static org.springframework.http.HttpStatus.TOO_MANY_REQUESTS;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;

/** What a browser asks ahead of a request to another origin: it cannot say who it is. */
class PreFlightTest {

    @ParameterizedTest
    @EnumSource(WithoutKey.class)
    @DisplayName("a preflight has no key to miss: it is neither refused nor counts with all others that have none")
    void withoutKey(WithoutKey withoutKey) {
        PartitionedRateLimiter<String> perClient = PartitionedRateLimiter.of(Limit.of(1, ofMinutes(1)));
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(RequestKey.header("X-Api-Key"), perClient, withoutKey)
                .build();
        for (int client = 0; client < 3; client++) {
            assertThat(Requests.status(filter, preFlight())).isEqualTo(OK);
        }
        assertThat(perClient.keyCount()).isZero();
    }

    @Test
    @DisplayName("the cost of a preflight that no limit counts is not asked for, as it may lack what tells")
    void costUnasked() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(RequestKey.header("X-Api-Key"), PartitionedRateLimiter.of(Limit.of(9, ofMinutes(1))))
                .cost(exchange ->
                        Integer.parseInt(exchange.getRequest().getHeaders().getFirst("X-Batch-Size")))
                .build();
        assertThat(Requests.status(filter, preFlight())).isEqualTo(OK);
    }

    @Test
    @DisplayName("a request with the same method that no browser sends ahead is refused as ever")
    void plainOptions() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(
                        RequestKey.header("X-Api-Key"),
                        PartitionedRateLimiter.of(Limit.of(1, ofMinutes(1))),
                        WithoutKey.REFUSE)
                .build();
        MockServerWebExchange options = MockServerWebExchange.from(MockServerHttpRequest.options("http://here/"));
        assertThat(Requests.status(filter, options)).isEqualTo(FORBIDDEN);
    }

    @Test
    @DisplayName("a preflight counts for a limit without keys")
    void counts() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(RateLimiter.of(1, ofMinutes(1)))
                .build();
        assertThat(Requests.status(filter, preFlight())).isEqualTo(OK);
        assertThat(Requests.status(filter, preFlight())).isEqualTo(TOO_MANY_REQUESTS);
    }

    private static MockServerWebExchange preFlight() {
        return MockServerWebExchange.from(MockServerHttpRequest.options("http://here/")
                .header("Origin", "http://elsewhere")
                .header("Access-Control-Request-Method", "GET")
                .header("Access-Control-Request-Headers", "X-Api-Key"));
    }
}
