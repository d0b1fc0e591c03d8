package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Mono;

class MissingKeyTest {

    private static final RequestKey HEADER = RequestKey.header("X-Api-Key");
    private static final RequestKey OWN = exchange -> Mono.empty();

    static Stream<Arguments> needs() {
        return Stream.of(
                Arguments.of(HEADER, "the header field X-Api-Key"),
                Arguments.of(RequestKey.principal(), "an authenticated user"),
                Arguments.of(
                        RequestKey.principal().and(HEADER), "an authenticated user and the header field X-Api-Key"),
                Arguments.of(OWN, "a key to be counted by"),
                Arguments.of(OWN.and(HEADER), "a key to be counted by and the header field X-Api-Key"));
    }

    @ParameterizedTest
    @DisplayName("who is refused for want of a key is told what the request needs")
    @MethodSource("needs")
    void detail(RequestKey key, String what) {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(key, PartitionedRateLimiter.of(Limit.of(1, ofMinutes(1))), WithoutKey.REFUSE)
                .build();
        assertThat(Requests.body(Requests.send(filter, Requests.get("/"))))
                .isEqualTo(
                        "{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403,\"detail\":\"This request needs "
                                + what + ".\"}");
    }

    @Test
    @DisplayName("who is refused for want of a key is asked for no other key, and pays nothing")
    void nothingElse() {
        RateLimiter first = RateLimiter.of(1, ofMinutes(1));
        AtomicInteger asked = new AtomicInteger();
        RequestKey counting = exchange -> Mono.fromSupplier(() -> "key " + asked.incrementAndGet());
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(first)
                .limit(HEADER, PartitionedRateLimiter.of(Limit.of(1, ofMinutes(1))), WithoutKey.REFUSE)
                .limit(counting, PartitionedRateLimiter.of(Limit.of(1, ofMinutes(1))))
                .build();

        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(HttpStatus.FORBIDDEN);
        assertThat(asked).hasValue(0);
        assertThat(first.availablePermits()).isEqualTo(1);
    }
}
