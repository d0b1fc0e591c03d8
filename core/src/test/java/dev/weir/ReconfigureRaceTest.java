package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads that change one limit, held up where it matters. {@code WaiterStress} has them race. */
class ReconfigureRaceTest {

    private static final int A = 3;
    private static final int B = 5;
    private static final int D = 7;

    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch isChangedToD = new CountDownLatch(1);
    private final CountDownLatch isChangedToB = new CountDownLatch(1);
    private RateLimiter limiter;
    private CompletableFuture<Void> toD;

    /**
     * Before B is told, a thread changes the limit to A, so B is set once more; and when that begins, another has changed the policy
     * to D, but does not tell so before B is told. B must not stay in the policy of a limiter that tells D.
     */
    @Test
    @Timeout(60)
    @DisplayName("of three changes at once, the limit that is told last is the one that is granted")
    void threeAtOnce() throws Exception {
        limiter = RateLimiter.builder(Limit.concurrency(1))
                .policies((limit, key, now) ->
                        InterleavingPolicies.aroundReconfigure(limit.newPolicy(now), this::interleaved))
                .build();

        limiter.reconfigure(Limit.concurrency(B));
        isChangedToB.countDown();
        toD.get();

        assertThat(limiter.limit()).isEqualTo(Limit.concurrency(D));
        assertThat(limiter.availablePermits()).isEqualTo(D);
    }

    private void interleaved(Runnable reconfigure) throws InterruptedException {
        switch (calls.incrementAndGet()) {
            case 1 -> { // to B
                reconfigure.run();
                CompletableFuture.runAsync(() -> limiter.reconfigure(Limit.concurrency(A)))
                        .join();
            }
            case 3 -> { // to B, once more
                toD = CompletableFuture.runAsync(() -> limiter.reconfigure(Limit.concurrency(D)));
                isChangedToD.await();
                reconfigure.run();
            }
            case 4 -> { // to D
                reconfigure.run();
                isChangedToD.countDown();
                isChangedToB.await();
            }
            default -> reconfigure.run();
        }
    }
}
