package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests requests for zero permits: they probe whether any permit is available, take none, and take no room in the queue. */
public abstract class ZeroPermitsContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected ZeroPermitsContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void aProbeTakesNothing() {
        RateLimiter limiter = limiter(1);
        for (int i = 0; i < 3; i++) {
            Lease probe = limiter.tryAcquire(0);
            assertTrue(probe.isAcquired(), () -> "tryAcquire(0) while permits are available: " + probe.reason());
            assertEquals(0, probe.permits(), "permits of that lease");
            probe.close();
        }
        assertEquals(1, limiter.availablePermits());
        take(limiter, 1);
    }

    @Test
    void aProbeIsRefusedWhileNothingIsAvailable() {
        RateLimiter limiter = limiter(3);
        exhaust(limiter);
        checkRefused(RefusalReason.EXHAUSTED, limiter.tryAcquire(0));
        refill();
        assertTrue(limiter.tryAcquire(0).isAcquired(), "tryAcquire(0) once permits are available again");
    }

    @Test
    void aProbeIgnoresTheQueue() {
        RateLimiter limiter = limiter(5);
        take(limiter, 3);
        askAndWait(limiter, 5);
        assertFalse(limiter.tryAcquire(1).isAcquired(), "one permit would overtake");
        assertTrue(limiter.tryAcquire(0).isAcquired(), "two permits are available");
    }

    @Test
    void waitingForZeroEndsAtOnceWhereAnythingIsAvailable() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(5));
        take(limiter, 3);
        askAndWait(limiter, 5);
        ask(limiter, 0).checkGranted();
        assertTrue(answer(limiter.acquire(0)).isAcquired(), "acquire(0) while permits are available");
    }

    @Test
    void waitingForZeroTakesNoRoomAndNoPermit() {
        RateLimiter limiter = limiter(3, settings -> settings.queueLimit(0));
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 0);
        CompletableFuture<Lease> future = limiter.acquire(0);
        assertFalse(future.isDone(), "answered");
        assertEquals(0, limiter.statistics().queuedPermits());
        refill();
        waiting.checkGranted();
        assertTrue(answer(future).isAcquired(), "acquire(0) once permits are available");
        assertEquals(3, limiter.availablePermits());
    }

    @Test
    void waitingForZeroEndsWithTheFirstPermitThatIsGivenBackThoughMoreIsWaitedFor() {
        RateLimiter limiter = limiter(2);
        Lease first = take(limiter, 1);
        take(limiter, 1);
        Asked larger = askAndWait(limiter, 2);
        Asked waiting = askAndWait(limiter, 0);
        first.giveBack();
        waiting.checkGranted();
        larger.checkWaits();
    }

    @Test
    void waitingForZeroFitsAFullQueue() {
        RateLimiter limiter = limiter(3, settings -> settings.queueLimit(3));
        exhaust(limiter);
        askAndWait(limiter, 3);
        askAndWait(limiter, 0);
        assertEquals(3, limiter.statistics().queuedPermits());
    }

    @Test
    void waitingForZeroCanBeCancelled() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 0);
        assertTrue(waiting.cancel(), "cancelled");
        checkNoTimerIsPending();
        refill();
        assertFalse(waiting.isAnswered(), "answered");
    }
}
