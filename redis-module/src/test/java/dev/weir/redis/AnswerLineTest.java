package dev.weir.redis;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerLineTest {

    @Test
    @DisplayName("seven numbers, and two of each booking; less than nothing is not known")
    void numbers() {
        assertThat(Answer.of("1790000000000000 2 -1 -3 0 4 -1 7 1 4503599627370495 2147483647"))
                .isEqualTo(new Answer(
                        1_790_000_000_000_000_000L,
                        2,
                        Answer.UNKNOWN,
                        -3,
                        0,
                        4_000,
                        Answer.UNKNOWN,
                        List.of(
                                new Answer.Booking(7_000, 1),
                                new Answer.Booking(4_503_599_627_370_495_000L, Integer.MAX_VALUE))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1 2 3 4 5 6",
                "1 2 3 4 5 6 ",
                "1  2 3 4 5 6 7",
                "1 2 3 4 5 6 x",
                "1 2 3 4 5 6 7 8",
                "1.5 2 3 4 5 6 7"
            })
    @DisplayName("a line that is anything else is no answer")
    void noAnswer(String line) {
        assertThatThrownBy(() -> Answer.of(line)).isInstanceOf(NumberFormatException.class);
    }

    @Test
    @DisplayName("a node that gets no readable answer goes on as without a store")
    void unreadable() {
        VirtualTimeSource time = new VirtualTimeSource();
        Queue<Commands.Listener> asked = new ArrayDeque<>();
        RedisRateLimiters node = Nodes.on(
                (script, keys, arguments, listener) -> asked.add(listener),
                RedisOptions.defaults().whenUnavailable(WhenUnavailable.REFUSE));
        RateLimiter limiter = node.builder("a", Limit.of(3, Duration.ofHours(1)))
                .timeSource(time)
                .build();
        CompletableFuture<Lease> asking = limiter.acquire();

        asked.remove().replied("it is a fine day");
        time.advanceBy(Duration.ZERO);

        assertThat(asking.join().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 0 2 0 0 0", "0 0 2 0 0 0 7 1"})
    @DisplayName("a server that grants or books what nobody has asked for has failed, and is asked again")
    void notAskedFor(String answer) {
        VirtualTimeSource time = new VirtualTimeSource();
        Queue<Commands.Listener> asked = new ArrayDeque<>();
        RateLimiter limiter = Nodes.on(
                        (script, keys, arguments, listener) -> asked.add(listener),
                        RedisOptions.defaults().whenUnavailable(WhenUnavailable.REFUSE))
                .builder("a", Limit.of(3, Duration.ofHours(1)))
                .timeSource(time)
                .build();
        assertThat(limiter.availablePermits()).isNotNegative();
        asked.remove().replied("1790000000000000 " + answer);
        assertThat(limiter.tryAcquire().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(limiter.availablePermits()).isZero();
        asked.remove().replied("1790000000000000 0 0 3 0 0 0");
        time.advanceBy(Duration.ofMillis(1));
        assertThat(limiter.availablePermits()).isEqualTo(3);
    }

    @Test
    @DisplayName("a server whose replies cannot be read has failed: after three of them nobody asks for a while")
    void unreadableAgainAndAgain() {
        VirtualTimeSource time = new VirtualTimeSource();
        Queue<Commands.Listener> asked = new ArrayDeque<>();
        RedisRateLimiters node = Nodes.on(
                (script, keys, arguments, listener) -> {
                    asked.add(listener);
                    listener.replied("<p>".repeat(10_000));
                },
                RedisOptions.defaults().whenUnavailable(WhenUnavailable.REFUSE));
        for (String name : List.of("a", "b", "c", "d")) {
            RateLimiter limiter = node.builder(name, Limit.of(3, Duration.ofHours(1)))
                    .timeSource(time)
                    .build();
            assertThat(limiter.tryAcquire().cause())
                    .get(as(InstanceOfAssertFactories.THROWABLE))
                    .hasNoCause()
                    .extracting(Throwable::getMessage, as(InstanceOfAssertFactories.STRING))
                    .contains("<p><p>")
                    .hasSizeLessThan(200);
        }
        assertThat(asked).hasSize(3);
    }
}
