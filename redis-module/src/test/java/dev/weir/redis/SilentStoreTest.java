package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A store that hears everything and never answers, in virtual time. */
class SilentStoreTest {

    private static final Duration DEADLINE = Duration.ofNanos(ModelFleet.SETTINGS.deadlineNanos());
    private static final Duration NANO = Duration.ofNanos(1);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final List<Question> asked = new ArrayList<>();
    private final RateLimiter limiter = ModelFleet.builder(
                    Limit.of(5, Duration.ofSeconds(1)),
                    (limit, question, listener) -> asked.add(question),
                    ModelFleet.SETTINGS)
            .timeSource(time)
            .build();

    @Test
    @DisplayName("a request is decided at the deadline, by this node alone, and not before")
    void decidedAtTheDeadline() {
        CompletableFuture<Lease> waiting = limiter.acquire(3);
        time.advanceBy(DEADLINE.minus(NANO));
        assertThat(waiting).isNotDone();

        time.advanceBy(NANO);

        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(waiting.join().source()).isEqualTo(DecisionSource.FALLBACK);
    }

    @Test
    @DisplayName("a silent store has one trip under way, and a try is answered at once")
    void oneTripAtATime() {
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int request = 0; request < 20; request++) {
            assertThat(limiter.tryAcquire().isAcquired()).isFalse();
            waiting.add(limiter.acquire(1));
        }
        assertThat(asked).hasSize(1);

        time.advanceBy(DEADLINE);

        assertThat(waiting).filteredOn(CompletableFuture::isDone).hasSize(5);
    }
}
