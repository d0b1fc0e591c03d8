package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** What the user's own parts of a limit throw must reach somebody, of whatever type it is. */
class FailingLimitTest {

    static Stream<RuntimeException> planned() {
        return Stream.of(
                new RuntimeException("planned"),
                new IllegalStateException("planned"),
                new IllegalArgumentException("planned"));
    }

    @ParameterizedTest
    @MethodSource("planned")
    @DisplayName("an error of a policy is the error of the request, of one limit, of a key, and after a wait")
    void policy(RuntimeException planned) {
        RateLimiter broken = RateLimiter.builder(Limit.of(5, ofMinutes(1)))
                .policies((limit, key, now) -> throwing(planned, limit.newPolicy(now)))
                .build();
        PartitionedRateLimiter<String> brokenKeys = PartitionedRateLimiter.<String>builder(
                        key -> Limit.of(5, ofMinutes(1)))
                .policies((limit, key, now) -> throwing(planned, limit.newPolicy(now)))
                .build();

        assertFails(RateLimitWebFilter.builder().limit(broken), planned);
        assertFails(RateLimitWebFilter.builder().limit(broken).waiting(), planned);
        assertFails(RateLimitWebFilter.builder().limit(exchange -> Mono.just("a"), brokenKeys), planned);
        assertFails(
                RateLimitWebFilter.builder()
                        .limit(RateLimiter.of(5, ofMinutes(1)))
                        .limit(broken),
                planned);
    }

    private static PermitPolicy throwing(RuntimeException planned, PermitPolicy otherwise) {
        return (PermitPolicy) Proxy.newProxyInstance(
                PermitPolicy.class.getClassLoader(),
                new Class<?>[] {PermitPolicy.class},
                (proxy, method, arguments) -> {
                    if (method.getName().startsWith("tryTake")) {
                        throw planned;
                    }
                    return method.invoke(otherwise, arguments);
                });
    }

    private static void assertFails(RateLimitWebFilter.Builder filter, RuntimeException planned) {
        assertThatThrownBy(() -> Requests.send(filter.build(), Requests.get("/")))
                .isSameAs(planned);
    }

    @Test
    @DisplayName(
            "a limit function that cannot be told from a closed limiter is answered alike, and what it threw is dropped aloud")
    void limitOfKey() {
        IllegalStateException planned = new IllegalStateException("planned");
        PartitionedRateLimiter<String> limiters = PartitionedRateLimiter.<String>builder(key -> {
                    throw planned;
                })
                .build();
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(exchange -> Mono.just("a"), limiters)
                .build();
        List<Throwable> dropped = new ArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        } finally {
            Hooks.resetOnErrorDropped();
        }
        assertThat(dropped).containsExactly(planned);
    }
}
