package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Tests requests as futures: completing one from outside, in whatever way, leaves the queue and loses no permit. */
public abstract class FutureContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected FutureContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void cancellingLeavesTheQueue() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(5));
        exhaust(limiter);
        CompletableFuture<Lease> first = limiter.acquire(5);
        assertTrue(first.cancel(true), "cancelled");
        checkLeft(limiter);
        CompletableFuture<Lease> second = limiter.acquire(5);
        assertTrue(second.cancel(false), "cancelled");
        checkLeft(limiter);
    }

    @Test
    void aTimeoutLeavesTheQueue() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(5));
        exhaust(limiter);
        CompletableFuture<Lease> future = limiter.acquire(5);
        assertTrue(future.completeExceptionally(new TimeoutException("as orTimeout does")));
        checkLeft(limiter);
    }

    @Test
    void completionBySomebodyElseLeavesTheQueue() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(5));
        exhaust(limiter);
        Lease other = limiter(1).tryAcquire();
        CompletableFuture<Lease> future = limiter.acquire(5);
        assertTrue(future.complete(other));
        checkLeft(limiter);
        assertSame(other, answer(future));
    }

    @Test
    void cancellingABoundedOneLeavesTheQueue() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(5));
        exhaust(limiter);
        CompletableFuture<Lease> future = limiter.acquireWithin(5, PERIOD.multipliedBy(9));
        assertFalse(future.isDone(), "answered");
        assertTrue(future.cancel(true), "cancelled");
        checkLeft(limiter);
    }

    @Test
    void aBoundOfZeroIsAnsweredAtOnce() {
        RateLimiter limiter = limiter(5);
        assertTrue(answer(limiter.acquireWithin(5, Duration.ZERO)).isAcquired(), "acquired");
        checkRefused(RefusalReason.EXHAUSTED, answer(limiter.acquireWithin(1, Duration.ZERO)));
        assertEquals(0, limiter.statistics().queuedPermits());
        checkNoTimerIsPending();
    }

    @Test
    void aBoundOfZeroIsAnsweredAtOnceInsideAListener() {
        RateLimiter limiter = limiter(2);
        exhaust(limiter);
        List<Optional<RefusalReason>> inside = new ArrayList<>();
        askAndWait(limiter, 2).then(() -> {
            CompletableFuture<Lease> future = limiter.acquireWithin(1, Duration.ZERO);
            inside.add(future.isDone() ? future.join().reason() : Optional.empty());
        });
        refill();
        assertEquals(
                List.of(Optional.of(RefusalReason.EXHAUSTED)),
                inside,
                "a listener that waited for it would wait for ever otherwise");
    }

    /** Checks that the queue is empty, no refusal is counted, no task is pending, and all permits return. */
    private void checkLeft(RateLimiter limiter) {
        assertEquals(0, limiter.statistics().queuedPermits());
        assertEquals(0, limiter.statistics().refused());
        checkNoTimerIsPending();
        refill();
        assertEquals(5, limiter.availablePermits());
        exhaust(limiter);
    }

    @Test
    void leavingWakesWhoeverCanGoNow() {
        RateLimiter limiter = limiter(5);
        take(limiter, 3);
        CompletableFuture<Lease> large = limiter.acquire(5);
        Asked small = askAndWait(limiter, 2);
        large.cancel(true);
        small.checkGranted();
    }

    @Test
    void cancellingAGrantedOneChangesNothing() {
        RateLimiter limiter = limiter(5);
        CompletableFuture<Lease> future = limiter.acquire(5);
        assertFalse(future.cancel(true), "cancelled");
        assertTrue(answer(future).isAcquired(), "acquired");
        assertEquals(0, limiter.availablePermits());
    }

    @Test
    void aRefusalIsAValue() {
        RateLimiter limiter = limiter(1, settings -> settings.queueLimit(1));
        exhaust(limiter);
        CompletableFuture<Lease> waiting = limiter.acquire(1);
        CompletableFuture<Lease> refused = limiter.acquire(1);
        assertTrue(refused.isDone(), "answered");
        assertFalse(refused.isCompletedExceptionally(), "failed");
        checkRefused(RefusalReason.QUEUE_FULL, answer(refused));
        limiter.close();
        assertFalse(waiting.isCompletedExceptionally(), "failed");
        checkRefused(RefusalReason.CLOSED, answer(waiting));
    }

    @Test
    void aStageThatFailsHarmsNobody() {
        RateLimiter limiter = limiter(2);
        exhaust(limiter);
        CompletableFuture<Lease> first = limiter.acquire(1);
        CompletableFuture<Object> failing = first.thenApply(lease -> {
            throw new IllegalStateException("on purpose");
        });
        Asked second = askAndWait(limiter, 1);
        refill();
        assertTrue(failing.isCompletedExceptionally(), "failed");
        assertTrue(answer(first).isAcquired(), "acquired");
        second.checkGranted();
    }

    @Test
    void cancellingAStageBehindLeavesTheRequestAlone() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        CompletableFuture<Lease> request = limiter.acquire(1);
        CompletableFuture<Integer> behind = request.thenApply(Lease::permits);
        behind.cancel(true);
        assertEquals(1, limiter.statistics().queuedPermits());
        refill();
        assertTrue(answer(request).isAcquired(), "acquired");
    }
}
