package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.http.HttpStatus.FORBIDDEN;
import static org.springframework.http.HttpStatus.SERVICE_UNAVAILABLE;

import dev.weir.PartitionedRateLimiter;
import dev.weir.limit.Limit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatusCode;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

/** Requests behind a filter that says {@code onErrorContinue}, which reaches what is further in: it must not skip a limit. */
class ContinuedErrorsTest {

    private final PartitionedRateLimiter<String> limiters = PartitionedRateLimiter.of(Limit.of(1, ofMinutes(1)));
    private final RuntimeException planned = new IllegalArgumentException("planned");
    private final AtomicInteger handled = new AtomicInteger();

    @AfterEach
    void noneHandled() {
        assertThat(handled).as("requests handled").hasValue(0);
    }

    @Test
    @DisplayName("a request without a key is refused")
    void withoutKey() {
        assertThat(status(RateLimitWebFilter.builder()
                        .limit(RequestKey.header("X-API-Key"), limiters, WithoutKey.REFUSE)))
                .isEqualTo(FORBIDDEN);
    }

    @Test
    @DisplayName("a request is refused if the limiters of keys are closed")
    void closed() {
        limiters.close();
        assertThat(status(RateLimitWebFilter.builder().limit(exchange -> Mono.just("a"), limiters)))
                .isEqualTo(SERVICE_UNAVAILABLE);
    }

    @Test
    @DisplayName("a key that fails is the error of the request, also if there is another limit")
    void keyFails() {
        assertFails(RateLimitWebFilter.builder()
                .limit(exchange -> Mono.error(planned), limiters)
                .limit(exchange -> Mono.just("a"), limiters));
        assertFails(RateLimitWebFilter.builder()
                .limit(
                        exchange -> Mono.just("a").map(key -> {
                            throw planned;
                        }),
                        limiters));
    }

    @Test
    @DisplayName("a limit function that fails is the error of the request")
    void limitOfKeyFails() {
        PartitionedRateLimiter<String> failing = PartitionedRateLimiter.<String>builder(key -> {
                    throw planned;
                })
                .build();
        assertFails(RateLimitWebFilter.builder().limit(exchange -> Mono.just("a"), failing));
    }

    private void assertFails(RateLimitWebFilter.Builder filter) {
        assertThatThrownBy(() -> status(filter)).isSameAs(planned);
    }

    private HttpStatusCode status(RateLimitWebFilter.Builder limits) {
        MockServerWebExchange exchange = Requests.get("/");
        limits.build()
                .filter(exchange, asked -> Mono.fromRunnable(handled::incrementAndGet))
                .onErrorContinue((failure, value) -> {})
                .block();
        return exchange.getResponse().getStatusCode();
    }
}
