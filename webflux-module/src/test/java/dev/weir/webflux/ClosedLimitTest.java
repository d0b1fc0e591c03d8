package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.springframework.http.HttpStatus.SERVICE_UNAVAILABLE;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

/** Requests that come when a limiter has been closed: as those that waited then. */
class ClosedLimitTest {

    private final RateLimiter api =
            RateLimiter.builder(Limit.of(5, ofMinutes(1))).name("api").build();

    @Test
    @DisplayName("a limiter that has been closed is this server's fault, and is named")
    void alone() {
        api.close();
        MockServerHttpResponse refused = send(RateLimitWebFilter.builder().limit(api));

        assertThat(refused.getStatusCode()).isEqualTo(SERVICE_UNAVAILABLE);
        assertThat(refused.getHeaders().getFirst("Retry-After")).isEqualTo("1");
        assertThat(Requests.body(refused))
                .contains("#temporary-reduced-capacity", "[\"api\"]")
                .hasSize((int) refused.getHeaders().getContentLength());
    }

    @Test
    @DisplayName("a closed limiter of keys answers 503 also to a key's first request")
    void ofKey() {
        PartitionedRateLimiter<String> perAddress = PartitionedRateLimiter.of(Limit.of(5, ofMinutes(1)));
        perAddress.close();
        MockServerHttpResponse refused =
                send(RateLimitWebFilter.builder().limit(exchange -> Mono.just("a"), perAddress));

        assertThat(refused.getStatusCode()).isEqualTo(SERVICE_UNAVAILABLE);
    }

    @Test
    @DisplayName("a closed limiter among several answers 503, which costs nothing at the others")
    void ofSeveral() {
        RateLimiter open = RateLimiter.of(1, ofMinutes(1));
        api.close();
        MockServerHttpResponse refused =
                send(RateLimitWebFilter.builder().limit(open).limit(api).waiting());

        assertThat(refused.getStatusCode()).isEqualTo(SERVICE_UNAVAILABLE);
        assertThat(Requests.body(refused)).contains("\"violated-policies\":[\"api\"]");
        assertThat(open.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("whether it was closed before a request or while that waited, the answer does not tell")
    void beforeOrMeanwhile() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(RateLimiter.builder(Limit.of(1, ofMinutes(1)))
                        .name("open")
                        .build())
                .limit(api)
                .waiting()
                .headers(HeaderStyle.DRAFT_11)
                .build();
        api.tryAcquire(5);
        MockServerWebExchange waiting = Requests.get("/");
        CompletableFuture<Void> sent = filter.filter(waiting, Requests.OK).toFuture();
        api.close();
        sent.join();
        MockServerHttpResponse meanwhile = waiting.getResponse();
        MockServerHttpResponse before = Requests.send(filter, Requests.get("/"));

        assertThat(meanwhile.getHeaders().getFirst("RateLimit")).contains("\"open\";r=1", "\"api\";r=0;t=1");
        assertThat(before.getStatusCode()).isEqualTo(meanwhile.getStatusCode());
        assertThat(before.getHeaders()).isEqualTo(meanwhile.getHeaders());
        assertThat(Requests.body(before)).isEqualTo(Requests.body(meanwhile)).contains("[\"api\"]");
    }

    @Test
    @DisplayName("a chain with a closed member answers 503")
    void memberOfChain() {
        RateLimiter chain = RateLimiter.chain(RateLimiter.of(1, ofMinutes(1)), api);
        api.close();

        assertThat(send(RateLimitWebFilter.builder().limit(chain)).getStatusCode())
                .isEqualTo(SERVICE_UNAVAILABLE);
    }

    @Test
    @DisplayName("a handler's error passes through the filter, of whatever type")
    void handlerFails() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder().limit(api).build();
        assertThatIllegalStateException()
                .isThrownBy(() -> filter.filter(
                                Requests.get("/"), exchange -> Mono.error(new IllegalStateException("planned")))
                        .block())
                .withMessage("planned");
    }

    private static MockServerHttpResponse send(RateLimitWebFilter.Builder filter) {
        return Requests.send(filter.headers(HeaderStyle.DRAFT_11).build(), Requests.get("/"));
    }
}
