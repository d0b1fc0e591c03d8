package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A listener that blocks keeps back only what its own thread had decided before it. */
@Timeout(60)
class BlockingListenerTest {

    private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(2));
    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @Test
    @DisplayName("it delays neither those who ask nor those who are granted by another thread")
    void delaysNobodyElse() throws InterruptedException {
        Lease first = limiter.tryAcquire();
        Lease second = limiter.tryAcquire();
        limiter.acquire(1, lease -> block());
        CompletableFuture<Lease> waiting = limiter.acquire();
        Thread closing = new Thread(first::close);
        closing.start();
        try {
            assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(waiting).isNotDone();

            second.close();

            assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
            waiting.join().close();
            assertThat(limiter.tryAcquire().isAcquired()).isTrue();
        } finally {
            release.countDown();
        }
        closing.join();
    }

    private void block() {
        blocked.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
