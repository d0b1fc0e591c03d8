package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.http.HttpStatus.OK;
import static org.springframework.http.HttpStatus.TOO_MANY_REQUESTS;

import dev.weir.PartitionedRateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatusCode;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** A million keys that were made up. */
class FloodTest {

    private static final int KEYS = 1_000_000;
    private static final int WHOLE_REQUESTS = 20_000;
    private static final int KEPT = 10_000;
    private static final WebFilterChain SERVED = exchange -> Mono.empty();

    private final VirtualTimeSource time = new VirtualTimeSource();

    private final PartitionedRateLimiter<String> perKey = PartitionedRateLimiter.<String>builder(
                    key -> Limit.of(2, ofMinutes(1)))
            .name("per-key")
            .maximumKeys(KEPT)
            .overflowTo(Limit.of(1_000, ofMinutes(1)))
            .timeSource(time)
            .build();

    private final RateLimitWebFilter filter = RateLimitWebFilter.builder()
            .limit(RequestKey.header("x-api-key"), perKey)
            .build();

    @Test
    @DisplayName("memory is bounded, nobody is locked out who was there before, and nobody passes by new keys")
    void flood() {
        AtomicReference<String> key = new AtomicReference<>();
        LimitSource source = LimitSource.perKey(perKey, exchange -> Mono.fromSupplier(key::get), WithoutKey.REFUSE);
        MockServerWebExchange exchange = Requests.get("/");
        assertThat(send("honest")).isEqualTo(OK);
        String suffix = "x".repeat(100);
        int passed = 0;
        for (int number = 0; number < KEYS; number++) {
            key.set(number + suffix);
            AskedLimit asked =
                    (AskedLimit) source.limitOf(exchange).blockOptional().orElseThrow();
            passed += asked.limiter().tryAcquire().isAcquired() ? 1 : 0;
        }

        assertThat(passed).isEqualTo(KEPT - 1 + 1_000);
        assertAfterTheFlood();
    }

    @Test
    @DisplayName("a flood of whole requests fills no more memory, and locks out no known client")
    void floodOfRequests() {
        assertThat(send("honest")).isEqualTo(OK);
        int passed = 0;
        for (int number = 0; number < WHOLE_REQUESTS; number++) {
            passed += send("made up " + number) == OK ? 1 : 0;
        }

        assertThat(passed).isEqualTo(KEPT - 1 + 1_000);
        assertAfterTheFlood();
    }

    private void assertAfterTheFlood() {
        assertThat(perKey.keyCount()).isLessThanOrEqualTo(KEPT);
        assertThat(send("honest")).isEqualTo(OK);
        assertThat(send("honest")).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(send("latecomer")).isEqualTo(TOO_MANY_REQUESTS);
        time.advanceBy(ofMinutes(1));
        assertThat(send("latecomer")).isEqualTo(OK);
        assertThat(perKey.keyCount()).isEqualTo(1);
    }

    private HttpStatusCode send(String key) {
        MockServerWebExchange exchange =
                MockServerWebExchange.from(MockServerHttpRequest.get("/").header("X-Api-Key", key));
        filter.filter(exchange, SERVED).subscribe();
        HttpStatusCode status = exchange.getResponse().getStatusCode();
        return status == null ? OK : status;
    }
}
