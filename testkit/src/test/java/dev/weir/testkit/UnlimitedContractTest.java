package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterStatistics;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Nobody waits but for a pause, so of the contracts only what needs no waiting applies. */
final class UnlimitedContractTest {

    private static final int MANY = 1_000_000;

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter =
            RateLimiter.builder(Limit.unlimited()).timeSource(time).build();

    @Test
    void everythingIsGrantedAtOnce() {
        assertThat(limiter.tryAcquire(Integer.MAX_VALUE).isAcquired()).isTrue();
        assertThat(limiter.tryAcquire(Integer.MAX_VALUE).isAcquired()).isTrue();
        assertThat(limiter.tryAcquire(0).isAcquired()).isTrue();
        assertThat(limiter.tryConsume(Integer.MAX_VALUE)).isTrue();
        assertThat(limiter.acquire(5).join().isAcquired()).isTrue();
        limiter.charge(Integer.MAX_VALUE);
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
        assertThat(limiter.idleDuration()).isPresent();
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    void aMillionInARowAreGrantedInARow() {
        int[] granted = {0};
        for (int i = 0; i < MANY; i++) {
            limiter.acquire(1, lease -> granted[0]++);
        }
        assertThat(granted[0]).isEqualTo(MANY);
        assertThat(limiter.statistics().acquired()).isEqualTo(MANY);
    }

    @Test
    void aPauseHoldsEverybody() {
        limiter.pauseFor(Duration.ofSeconds(3));
        assertThat(limiter.tryAcquire().reason()).contains(RefusalReason.PAUSED);
        CompletableFuture<Lease> future = limiter.acquire(7);
        time.advanceBy(Duration.ofNanos(2_999_999_999L));
        assertThat(future).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(future.join().isAcquired()).isTrue();
    }

    @Test
    void anEvictionDuringAPauseIsWorthARetryAtItsEnd() {
        RateLimiter bounded = RateLimiter.builder(Limit.unlimited())
                .timeSource(time)
                .queueLimit(0)
                .build();
        bounded.pauseFor(Duration.ofSeconds(3));
        Lease refused = bounded.acquire(1).join();
        assertThat(refused.isAcquired()).isFalse();
        assertThat(refused.retryAfter()).contains(Duration.ofSeconds(3));
        assertThat(bounded.statistics())
                .extracting(RateLimiterStatistics::refused)
                .isEqualTo(1L);
    }
}
