package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When to come back, as refusals say it while the store does not answer, in virtual time. */
class RetryAfterInOutageTest {

    private static final Duration DEADLINE = Duration.ofNanos(ModelFleet.SETTINGS.deadlineNanos());
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final Limit LIMIT = Limit.tokenBucket(4, 4, PERIOD);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ManualStore store = new ManualStore(new ModelStore(LIMIT, time));

    private RateLimiter.Builder builder(WhenUnavailable choice, int nodes) {
        return ModelFleet.builder(LIMIT, store, ModelFleet.settings(choice, nodes))
                .timeSource(time);
    }

    private static Duration told(Lease refused) {
        assertThat(refused.isAcquired()).isFalse();
        return refused.retryAfter().orElseThrow();
    }

    @Test
    @DisplayName("a refusal names the time of the next probe of the store, or when the present one ends")
    void refused() {
        RateLimiter limiter = builder(WhenUnavailable.REFUSE, 1).build();
        CompletableFuture<Lease> first = limiter.acquire();
        store.fail();
        time.advanceBy(Duration.ZERO);
        assertThat(first.join().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(told(first.join())).isBetween(Duration.ofMillis(25), Duration.ofMillis(50));
        Duration untilProbe = told(limiter.tryAcquire());
        assertThat(untilProbe).isBetween(Duration.ofMillis(25), Duration.ofMillis(50));
        time.advanceBy(untilProbe);
        assertThat(told(limiter.tryAcquire())).isEqualTo(DEADLINE);
        time.advanceBy(DEADLINE.dividedBy(2));
        assertThat(told(limiter.tryAcquire())).isEqualTo(DEADLINE.dividedBy(2));
        store.answerAll();
        time.advanceBy(DEADLINE.dividedBy(2));
        assertThat(limiter.acquire()).isNotDone();
        store.answerAll();
        time.advanceBy(Duration.ZERO);
        assertThat(limiter.tryAcquire(0).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a charge counts in full when the store is back, except for what time has repaid")
    void chargedMoreThanTheLimit() {
        for (WhenUnavailable choice : new WhenUnavailable[] {WhenUnavailable.REFUSE, WhenUnavailable.ALLOW}) {
            RateLimiter limiter = builder(choice, 2).build();
            CompletableFuture<Lease> unused = limiter.acquire(1);
            store.fail();
            time.advanceBy(Duration.ZERO);
            limiter.charge(40);
            for (int second = 0; second < 3; second++) {
                store.fail();
                time.advanceBy(PERIOD);
            }
            Lease probe = limiter.tryAcquire();
            int granted = choice == WhenUnavailable.ALLOW ? 2 : 0;
            assertThat(probe.isAcquired()).isEqualTo(granted > 0);
            store.answerAll();
            assertThat(store.latest().mostCharged()).as("%s", choice).isEqualTo(28 + granted);
            time.advanceBy(PERIOD.multipliedBy(100));
        }
    }
}
