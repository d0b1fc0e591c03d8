package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who asks whether anything is available, of a store that answers later, in virtual time. */
class ZeroPermitsFleetTest {

    private static final Duration PERIOD = Duration.ofMillis(600);
    private static final Duration STEP = Duration.ofMillis(10);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final Limit limit = Limit.of(2, PERIOD);
    private final ManualStore store = new ManualStore(new ModelStore(limit, time));
    private final RateLimiter limiter = ModelFleet.builder(limit, store, WhenUnavailable.LOCAL)
            .timeSource(time)
            .build();

    private boolean isAnyAvailable() {
        return limiter.tryAcquire(0).isAcquired();
    }

    private void answer() {
        time.advanceBy(Duration.ofMillis(1));
        store.answerAll();
        time.advanceBy(STEP);
    }

    @Test
    @DisplayName(
            "before the first answer nothing is known; from then on an idle limit has permits, at whatever intervals one asks")
    void idle() {
        assertThat(isAnyAvailable()).isFalse();
        answer();
        for (int probe = 0; probe < 100; probe++) {
            assertThat(isAnyAvailable()).as("probe %d", probe).isTrue();
            if (probe % 3 > 0) {
                answer();
            }
            time.advanceBy(Duration.ofMillis(probe % 7));
        }
    }

    @Test
    @DisplayName("a look at the available permits changes nothing for a probe")
    void withLooks() {
        assertThat(isAnyAvailable()).isFalse();
        for (int probe = 0; probe < 100; probe++) {
            answer();
            assertThat(limiter.availablePermits()).isEqualTo(2);
            assertThat(isAnyAvailable()).as("probe %d", probe).isTrue();
        }
    }

    @Test
    @DisplayName("a limit that is used up has none until the time that was told, and has them then, without an answer")
    void usedUp() {
        CompletableFuture<Lease> both = limiter.acquire(2);
        store.answerAll();
        time.advanceBy(Duration.ZERO);
        assertThat(both).isCompleted();
        for (Duration waited = Duration.ZERO; waited.compareTo(PERIOD) < 0; waited = waited.plus(STEP)) {
            Lease refused = limiter.tryAcquire(0);
            assertThat(refused.isAcquired()).as("after %s", waited).isFalse();
            assertThat(refused.retryAfter()).contains(PERIOD.minus(waited));
            time.advanceBy(STEP.dividedBy(2));
            store.answerAll();
            time.advanceBy(STEP.dividedBy(2));
        }
        assertThat(isAnyAvailable()).isTrue();
    }

    @Test
    @DisplayName("a probe does not count permits that waiting requests or charges will take")
    void aboutToBeTaken() {
        var unused = isAnyAvailable();
        answer();
        CompletableFuture<Lease> both = limiter.acquire(2);
        assertThat(isAnyAvailable()).isFalse();
        answer();
        assertThat(both).isCompleted();
        time.advanceBy(PERIOD);
        assertThat(isAnyAvailable()).isTrue();
        answer();
        limiter.charge(5);
        assertThat(isAnyAvailable()).isFalse();
    }

    @Test
    @DisplayName("a probe that waits while another takes the last permit is served when there is one again")
    void whileTheLastIsTaken() {
        Limit one = Limit.of(2, PERIOD);
        ModelStore model = new ModelStore(one, time);
        Runnable[] meanwhile = {() -> {}};
        Store busy = (asked, question, listener) -> {
            if (question.one() > 0) {
                meanwhile[0].run();
            }
            model.ask(asked, question, listener);
        };
        RateLimiter limiter = ModelFleet.builder(one, busy, ModelFleet.SETTINGS)
                .timeSource(time)
                .build();
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        meanwhile[0] = () -> waiting.add(limiter.acquire(0));
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
        assertThat(waiting).hasSize(1);
        time.advanceBy(PERIOD);
        assertThat(waiting.get(0)).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName("a probe that waits is served by the answer, or when a permit is known to come")
    void waiting() {
        CompletableFuture<Lease> first = limiter.acquire(0);
        assertThat(first).isNotDone();
        answer();
        assertThat(first).isCompletedWithValueMatching(Lease::isAcquired);
        CompletableFuture<Lease> both = limiter.acquire(2);
        answer();
        assertThat(both).isCompleted();
        CompletableFuture<Lease> second = limiter.acquire(0);
        answer();
        assertThat(second).isNotDone();
        time.advanceBy(PERIOD);
        assertThat(second).isCompletedWithValueMatching(Lease::isAcquired);
    }
}
