package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What there is to tell at the end of a trip, and somebody who has waited for that, in virtual time. */
class PiggybackedUpdatesTest {

    private final Limit limit = Limit.of(1_000, Duration.ofHours(1));
    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ModelStore model = new ModelStore(limit, time);
    private final ManualStore store = new ManualStore(model);
    private final RateLimiter limiter = ModelFleet.builder(limit, store, WhenUnavailable.LOCAL)
            .timeSource(time)
            .build();

    private void answer() {
        store.answer();
        time.advanceBy(Duration.ofNanos(1_000));
    }

    @Test
    @DisplayName("a request goes with the next trip, though each trip ends with something to report")
    void neverKeptBack() {
        limiter.charge(1);
        CompletableFuture<Lease> asked = limiter.acquire(5);
        for (int trip = 0; trip < 2; trip++) {
            assertThat(asked).isNotDone();
            limiter.charge(1);
            answer();
        }
        assertThat(asked).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(store.asked).extracting(Question::mostCharged).startsWith(1L, 1L);
        time.advanceBy(Duration.ofMillis(2));
        answer();
        assertThat(model.policy().available(time.nanoTime())).isEqualTo(1_000 - 5 - 3);
    }

    @Test
    @DisplayName("a report goes soon, though the request before it has left")
    void toldThoughNobodyAsks() {
        limiter.charge(1);
        CompletableFuture<Lease> asked = limiter.acquire(5);
        limiter.charge(2);
        asked.cancel(false);
        answer();
        time.advanceBy(Duration.ofMillis(2));
        store.answerAll();
        assertThat(store.asked).extracting(Question::mostCharged).containsExactly(1L, 2L);
        assertThat(model.policy().available(time.nanoTime())).isEqualTo(1_000 - 3);
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(time.pendingTasks()).isZero();
    }
}
