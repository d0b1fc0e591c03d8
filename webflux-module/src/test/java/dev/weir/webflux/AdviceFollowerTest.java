package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Advice that cannot be followed: the answers that bring it arrive all the same. */
class AdviceFollowerTest {

    @Test
    @DisplayName("a limiter that does not support a change is asked for it once, and no answer is lost")
    void changeNotSupported() {
        RuntimeException planned = new UnsupportedOperationException("planned");
        RateLimiter fixed = failingAt("reconfigure", planned);
        RateLimitExchangeFilter filter = RateLimitExchangeFilter.with(fixed);
        assertThat(droppedBy(filter, Map.of("RateLimit-Policy", "\"x\";q=5;w=1")))
                .containsExactly(planned);
        assertThat(fixed.limit()).isEqualTo(Limit.of(10, ofSeconds(1)));
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new UnsupportedOperationException("planned"),
                new IllegalStateException("planned"),
                new AssertionError("planned"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    @DisplayName("a pause that fails, whatever with, is told each time, no answer is lost, and policies are followed")
    void pauseFails(Throwable failure) {
        RateLimiter limiter = failingAt("pauseFor", failure);
        RateLimitExchangeFilter filter = RateLimitExchangeFilter.with(limiter);
        Map<String, String> fields = Map.of("RateLimit", "\"x\";r=0;t=1", "RateLimit-Policy", "\"x\";q=5;w=1");
        assertThat(droppedBy(filter, fields)).containsExactly(failure, failure);
        assertThat(limiter.limit()).isEqualTo(Limit.of(5, ofSeconds(1)));
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, AssertionError.class})
    @DisplayName("a change that fails, other than refused, is told each time, and no answer is lost")
    void changeFails(Class<? extends Throwable> type) throws ReflectiveOperationException {
        Throwable failure = type.getConstructor().newInstance();
        RateLimitExchangeFilter filter = RateLimitExchangeFilter.with(failingAt("reconfigure", failure));
        assertThat(droppedBy(filter, Map.of("RateLimit-Policy", "\"x\";q=5;w=1")))
                .containsExactly(failure, failure);
    }

    static Stream<Throwable> failuresOfAClock() {
        return Stream.concat(failures(), Stream.of(new IOException("thrown sneakily")));
    }

    @ParameterizedTest
    @MethodSource("failuresOfAClock")
    @DisplayName("a clock that fails while dates are compared, whatever with, loses no answer either")
    void clockFails(Throwable stopped) {
        RateLimitExchangeFilter filter = RateLimitExchangeFilter.builder(RateLimiter.of(10, ofSeconds(1)))
                .clock(new BrokenClock(stopped))
                .build();
        assertThat(droppedBy(filter, Map.of("Retry-After", "Sat, 21 Nov 2026 12:00:30 GMT")))
                .containsExactly(stopped, stopped);
    }

    @Test
    @DisplayName("what is fatal to Reactor is the error of the call")
    void fatal() {
        NoClassDefFoundError fatal = new NoClassDefFoundError("planned");
        RateLimitExchangeFilter filter = RateLimitExchangeFilter.with(failingAt("pauseFor", fatal));
        assertThatThrownBy(() -> droppedBy(filter, Map.of("RateLimit", "\"x\";r=0;t=1")))
                .isSameAs(fatal);
    }

    @Test
    @DisplayName("that a limiter, or that of a key, was closed while a response was under way is told to nobody")
    void closedMeanwhile() {
        Map<String, String> fields = Map.of("RateLimit", "\"x\";r=0;t=1", "RateLimit-Policy", "\"x\";q=5;w=1");
        RateLimiter limiter = RateLimiter.of(10, ofSeconds(1));
        PartitionedRateLimiter<String> keys = PartitionedRateLimiter.of(Limit.of(10, ofSeconds(1)));
        assertThat(droppedBy(RateLimitExchangeFilter.with(limiter), fields, 1, limiter::close))
                .isEmpty();
        assertThat(droppedBy(RateLimitExchangeFilter.with(keys, request -> "host"), fields, 1, keys::close))
                .isEmpty();
    }

    @Test
    @DisplayName("a limit function that fails when a forgotten key is to be paused does not look like a closed limiter")
    void limitOfKeyFails() {
        VirtualTimeSource time = new VirtualTimeSource();
        AtomicBoolean isDown = new AtomicBoolean();
        IllegalStateException down = new IllegalStateException("being reloaded");
        PartitionedRateLimiter<String> keys = PartitionedRateLimiter.<String>builder(key -> {
                    if (isDown.get()) {
                        throw down;
                    }
                    return Limit.of(10, ofSeconds(1));
                })
                .timeSource(time)
                .build();
        assertThat(droppedBy(
                        RateLimitExchangeFilter.with(keys, request -> "host"),
                        Map.of("RateLimit", "\"x\";r=0;t=1"),
                        1,
                        () -> {
                            time.advanceBy(ofMinutes(1));
                            assertThat(keys.keyCount()).isZero();
                            isDown.set(true);
                        }))
                .containsExactly(down);
    }

    /** Sends calls, checks that all are answered, and returns the errors that were dropped meanwhile. */
    private static List<Throwable> droppedBy(RateLimitExchangeFilter filter, Map<String, String> fields) {
        return droppedBy(filter, fields, 2, () -> {});
    }

    private static List<Throwable> droppedBy(
            RateLimitExchangeFilter filter, Map<String, String> fields, int calls, Runnable underWay) {
        WebClient client = WebClient.builder()
                .exchangeFunction(request -> Mono.fromSupplier(() -> ClientResponse.create(HttpStatus.TOO_MANY_REQUESTS)
                                .headers(headers -> fields.forEach(headers::set))
                                .body("answer")
                                .build())
                        .doFirst(underWay))
                .filter(filter)
                .build();
        List<Throwable> dropped = new ArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            for (int call = 0; call < calls; call++) {
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

    private static RateLimiter failingAt(String name, Throwable failure) {
        RateLimiter limiter = RateLimiter.of(10, ofSeconds(1));
        return (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        throw failure;
                    }
                    try {
                        return method.invoke(limiter, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private static final class BrokenClock extends Clock {

        private final Throwable broken;

        BrokenClock(Throwable broken) {
            this.broken = broken;
        }

        @Override
        public Instant instant() {
            throw BrokenClock.<RuntimeException>sneaky(broken);
        }

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <T extends Throwable> T sneaky(Throwable thrown) throws T {
            throw (T) thrown;
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
