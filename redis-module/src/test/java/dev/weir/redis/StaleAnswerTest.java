package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who waits within a bound is judged by the answer to its own question, not by what the store had said before. */
class StaleAnswerTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final long HOUR_MICROS = 3_600_000_000L;

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final Queue<Commands.Listener> asked = new ArrayDeque<>();
    private final RedisRateLimiters node = Nodes.on(
            (script, keys, arguments, listener) -> asked.add(listener),
            RedisOptions.defaults().deadline(HOUR));

    private final RateLimiter limiter =
            node.builder("a", Limit.of(3, HOUR)).timeSource(time).build();

    private CompletableFuture<Lease> acquireWithin(Duration longest) {
        CompletableFuture<Lease> answer = new CompletableFuture<>();
        limiter.acquire(1, longest, answer::complete);
        return answer;
    }

    private void reply(long granted, long available) {
        long next = available > 0 ? 0 : HOUR_MICROS;
        long wait = granted > 0 ? 0 : next;
        List<Long> reply = List.of(1L, granted, wait, available, next, HOUR_MICROS, HOUR_MICROS);
        asked.remove().replied(reply.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        time.advanceBy(Duration.ZERO);
    }

    @Test
    @DisplayName("nothing was left when somebody looked, but another node has given back since")
    void givenBackElsewhere() {
        assertThat(limiter.availablePermits()).isEqualTo(3);
        reply(0, 0);
        assertThat(limiter.availablePermits()).isZero();

        CompletableFuture<Lease> waiting = acquireWithin(Duration.ofSeconds(1));

        assertThat(waiting).isNotDone();
        reply(1, 0);
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("under another limit, nothing holds of what was known under the one before")
    void anotherLimit() {
        CompletableFuture<Lease> refused = acquireWithin(Duration.ofSeconds(1));
        reply(0, 0);
        assertThat(refused.join().reason()).contains(RefusalReason.MAX_WAIT);
        assertThat(acquireWithin(Duration.ofSeconds(1)))
                .as("known, so not asked again")
                .isDone();

        limiter.reconfigure(Limit.of(5, HOUR));
        CompletableFuture<Lease> waiting = acquireWithin(Duration.ofSeconds(1));

        assertThat(waiting).isNotDone();
        reply(0, 2);
        reply(1, 1);
        assertThat(waiting.join().isAcquired()).isTrue();
    }
}
