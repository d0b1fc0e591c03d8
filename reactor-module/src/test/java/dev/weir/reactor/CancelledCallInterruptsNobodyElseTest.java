package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Cancelling a call that runs on a worker interrupts it there; on the same thread its permit may then go to somebody else. */
class CancelledCallInterruptsNobodyElseTest {

    private static final long LONG_SECONDS = 20;

    private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
    private final CountDownLatch begun = new CountDownLatch(1);

    /** As a call that computes, and looks whether it is to end. */
    private void callUntilInterrupted() {
        begun.countDown();
        while (!Thread.currentThread().isInterrupted()) {}
    }

    @Test
    @DisplayName("who is given the permit on the thread of a cancelled call is not interrupted")
    void notInterrupted() throws Exception {
        Lease first = limiter.tryAcquire();
        Disposable call = Mono.fromRunnable(this::callUntilInterrupted)
                .transform(RateLimit.with(limiter))
                .subscribe();
        CompletableFuture<Boolean> other =
                limiter.acquire().thenApply(lease -> Thread.currentThread().isInterrupted());
        first.close();
        assertThat(begun.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
        call.dispose();
        assertThat(other.get(LONG_SECONDS, TimeUnit.SECONDS)).isFalse();
    }
}
