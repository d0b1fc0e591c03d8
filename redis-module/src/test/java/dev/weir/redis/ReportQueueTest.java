package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Limits wait for their turns to report, on a server that answers when it is told to. */
class ReportQueueTest {

    private static final Limit ONCE = Limit.of(1, Duration.ofHours(1));
    private static final String GRANTED = "1790000000000000 1 -1 0 3600000000 3600000000 3600000000";
    private static final String DENIED = "1790000000000000 0 -1 0 3600000000 3600000000 3600000000";

    private final VirtualTimeSource virtual = new VirtualTimeSource(-1);
    private final Clock time = new Clock();
    private final Map<String, Commands.Listener> asked = new LinkedHashMap<>();
    private final RedisRateLimiters node = RedisRateLimiters.on(
            (script, keys, arguments, listener) -> asked.put(keys[0], listener),
            RedisOptions.defaults(),
            new Node(new Random(1)));

    /** Is read only so often: who looks for ever fails. */
    private final class Clock implements TimeSource {

        private long readingsLeft = 1_000_000;

        @Override
        public long nanoTime() {
            assertThat(--readingsLeft).as("readings left").isPositive();
            return virtual.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return virtual.schedule(task, delayNanos);
        }
    }

    private RateLimiter limiter(String name) {
        return node.builder(name, ONCE).timeSource(time).build();
    }

    private Commands.Listener questionOf(String name) {
        return asked.entrySet().stream()
                .filter(each -> each.getKey().contains("{" + name + "}"))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " has not asked"));
    }

    private void passes(int millis) {
        virtual.advanceBy(Duration.ofMillis(millis));
    }

    @Test
    @DisplayName("an answer that comes in a pause ends it at once; who may not report before its end waits until then")
    void answeredInThePause() {
        for (int stalled = 0; stalled < 3; stalled++) {
            CompletableFuture<Lease> unused = limiter("stalled " + stalled).acquire();
        }
        passes(30);
        CompletableFuture<Lease> answered = limiter("answered").acquire();
        passes(21);
        Lease alone = limiter("alone").tryAcquire();
        assertThat(alone.source()).isEqualTo(DecisionSource.FALLBACK);
        passes(5);
        questionOf("answered").replied(GRANTED);
        passes(1);
        assertThat(answered.join().source()).isEqualTo(DecisionSource.REMOTE);
        passes(50);
        questionOf("alone").replied(DENIED);
    }
}
