package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

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
        Disposable call = Completable.fromAction(this::callUntilInterrupted)
                .compose(RateLimit.with(limiter))
                .subscribe();
        CompletableFuture<Boolean> other =
                limiter.acquire().thenApply(lease -> Thread.currentThread().isInterrupted());
        first.close();
        assertThat(begun.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
        call.dispose();
        assertThat(other.get(LONG_SECONDS, TimeUnit.SECONDS)).isFalse();
    }
}
