package dev.weir.webflux;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Advice that cannot be followed: the answers that bring it arrive all the same. */
class AdviceFollowerTest {

    private final RuntimeException planned = new UnsupportedOperationException("planned");

    @Test
    @DisplayName("a limiter that does not support a change is asked for it once, and no answer is lost")
    void changeNotSupported() {
        RateLimiter fixed = failingAt("reconfigure");
        RateLimitExchangeFilter filter = RateLimitExchangeFilter.with(fixed);
        assertThat(droppedBy(filter, Map.of("RateLimit-Policy", "\"x\";q=5;w=1")))
                .containsExactly(planned);
        assertThat(fixed.limit()).isEqualTo(Limit.of(10, ofSeconds(1)));
    }

    @Test
    @DisplayName("a pause that fails, whatever with, is told each time, no answer is lost, and policies are followed")
    void pauseFails() {
        RateLimiter limiter = failingAt("pauseFor");
        RateLimitExchangeFilter filter = RateLimitExchangeFilter.with(limiter);
        Map<String, String> fields = Map.of("RateLimit", "\"x\";r=0;t=1", "RateLimit-Policy", "\"x\";q=5;w=1");
        assertThat(droppedBy(filter, fields)).containsExactly(planned, planned);
        assertThat(limiter.limit()).isEqualTo(Limit.of(5, ofSeconds(1)));
    }

    static Stream<RuntimeException> failuresOfAClock() {
        return Stream.of(new UnsupportedOperationException("planned"), new IllegalStateException("stopped"));
    }

    @ParameterizedTest
    @MethodSource("failuresOfAClock")
    @DisplayName("a clock that fails while dates are compared, whatever with, loses no answer either")
    void clockFails(RuntimeException stopped) {
        RateLimitExchangeFilter filter = RateLimitExchangeFilter.builder(failingAt("nothing"))
                .clock(new BrokenClock(stopped))
                .build();
        assertThat(droppedBy(filter, Map.of("Retry-After", "Sat, 21 Nov 2026 12:00:30 GMT")))
                .containsExactly(stopped, stopped);
    }

    /** Sends two calls, checks that both are answered, and returns the errors that were dropped meanwhile. */
    private List<Throwable> droppedBy(RateLimitExchangeFilter filter, Map<String, String> fields) {
        WebClient client = WebClient.builder()
                .exchangeFunction(request -> Mono.fromSupplier(() -> ClientResponse.create(HttpStatus.TOO_MANY_REQUESTS)
                        .headers(headers -> fields.forEach(headers::set))
                        .body("answer")
                        .build()))
                .filter(filter)
                .build();
        List<Throwable> dropped = new ArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            for (int call = 0; call < 2; call++) {
                assertThat(client.get()
                                .uri("/")
                                .exchangeToMono(response -> response.bodyToMono(String.class))
                                .block())
                        .isEqualTo("answer");
            }
        } finally {
            Hooks.resetOnErrorDropped();
        }
        return dropped;
    }

    private RateLimiter failingAt(String name) {
        RateLimiter limiter = RateLimiter.of(10, ofSeconds(1));
        return (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        throw planned;
                    }
                    try {
                        return method.invoke(limiter, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private static final class BrokenClock extends Clock {

        private final RuntimeException broken;

        BrokenClock(RuntimeException broken) {
            this.broken = broken;
        }

        @Override
        public Instant instant() {
            throw broken;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
