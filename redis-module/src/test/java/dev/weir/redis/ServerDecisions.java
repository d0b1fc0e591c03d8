package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What the server, and no node on its own, decides of a limit. */
final class ServerDecisions {

    private ServerDecisions() {}

    static void checkTakes(RateLimiter limiter, int permits) {
        Lease lease = limiter.acquire(permits).join();
        assertThat(lease.isAcquired()).isTrue();
        assertThat(lease.source()).isEqualTo(DecisionSource.REMOTE);
    }

    static void checkIsUsedUp(RateLimiter limiter) {
        CompletableFuture<Lease> answer = new CompletableFuture<>();
        limiter.acquire(1, Duration.ZERO, answer::complete);
        Lease lease = answer.join();
        assertThat(lease.isAcquired()).isFalse();
        assertThat(lease.source()).isEqualTo(DecisionSource.REMOTE);
    }
}
