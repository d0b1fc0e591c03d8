package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A limiter that was closed while its store is away, with something to tell it, in virtual time. */
class ClosedForGoodTest {

    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final long RENEW_NANOS = PERIOD.toNanos() / Manners.RENEWALS;
    private static final List<Limit> LIMITS = List.of(
            Limit.concurrency(4),
            Limit.of(4, PERIOD),
            Limit.tokenBucket(4, 4, PERIOD),
            Limit.allOf(Limit.concurrency(4), Limit.fixedWindow(4, PERIOD)));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private boolean isAway;
    private int asked;
    private int available;

    private RateLimiter limiter(Limit limit) {
        ModelStore behind = new ModelStore(limit, time);
        Store store = (kept, question, asker) -> {
            asked++;
            if (isAway) {
                asker.failed(new NotConnectedException(new IllegalStateException("away")));
            } else {
                behind.ask(kept, question, asker);
                available = (int) behind.policy().available(time.nanoTime());
            }
        };
        Manners manners = new Manners(
                50_000_000,
                100_000_000,
                100_000_000,
                50_000_000,
                0,
                0,
                RENEW_NANOS,
                0,
                WhenUnavailable.LOCAL,
                new Shares(1));
        return ModelFleet.builder(limit, store, manners).timeSource(time).build();
    }

    private void goOn(Duration by) {
        for (Duration passed = Duration.ZERO; passed.compareTo(by) < 0; passed = passed.plusMillis(100)) {
            time.advanceBy(Duration.ofMillis(100));
        }
    }

    private void closeWithMuchToTell(RateLimiter limiter) {
        isAway = false;
        Lease lease = limiter.acquire().join();
        assertThat(lease.isAcquired()).isTrue();
        time.advanceBy(Duration.ofNanos(1)); // so that the store is where it goes back to
        isAway = true;
        limiter.reconfigure(limiter.limit());
        lease.settle(0);
        lease.close();
        limiter.close();
        asked = 0;
    }

    @Test
    @DisplayName("it looks for the store while what it has to tell matters, and then no more")
    void looksNoMore() {
        for (Limit limit : LIMITS) {
            closeWithMuchToTell(limiter(limit));
            goOn(PERIOD.dividedBy(2));
            assertThat(asked).as("%s", limit).isPositive();
            goOn(PERIOD.multipliedBy(2));
            assertThat(time.pendingTasks()).as("%s", limit).isZero();
        }
    }

    @Test
    @DisplayName("a store that is back before that is told, once")
    void toldOnce() {
        for (Limit limit : LIMITS) {
            RateLimiter limiter = limiter(limit);
            closeWithMuchToTell(limiter);
            goOn(PERIOD.dividedBy(2));
            isAway = false;
            asked = 0;
            goOn(PERIOD.dividedBy(4));
            assertThat(asked).as("%s", limit).isEqualTo(1);
            assertThat(available).as("%s", limit).isEqualTo(limit.capacity());
            goOn(PERIOD.multipliedBy(2));
            assertThat(asked).as("%s", limit).isEqualTo(1);
            assertThat(time.pendingTasks()).as("%s", limit).isZero();
        }
    }
}
