package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterStatistics;
import org.junit.jupiter.api.Test;

/** Tests that a lease is settled at most once, and that giving it back undoes it completely. */
public abstract class LeaseContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected LeaseContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void settlingForLessGivesBack() {
        RateLimiter limiter = limiter(5);
        Lease lease = take(limiter, 3);
        lease.settle(1);
        assertEquals(4, limiter.availablePermits());
        lease.settle(0);
        assertEquals(4, limiter.availablePermits(), "once");
    }

    @Test
    void settlingForTheSameChangesNothing() {
        RateLimiter limiter = limiter(5);
        Lease lease = take(limiter, 3);
        lease.settle(3);
        lease.settle(1);
        assertEquals(2, limiter.availablePermits());
    }

    @Test
    void settlingForLessWakesWhoeverCanGoNow() {
        RateLimiter limiter = limiter(5);
        Lease lease = take(limiter, 5);
        Asked first = askAndWait(limiter, 2);
        Asked second = askAndWait(limiter, 1);
        Asked third = askAndWait(limiter, 1);
        lease.settle(2);
        checkAnsweredInOrder(first, second);
        third.checkWaits();
    }

    @Test
    void settlingForLessThanNothingIsMisuse() {
        RateLimiter limiter = limiter(5);
        Lease lease = take(limiter, 3);
        assertThrows(IllegalArgumentException.class, () -> lease.settle(-1));
        lease.settle(1);
        assertEquals(4, limiter.availablePermits(), "misuse has not used it up");
    }

    @Test
    void aRefusalHasNothingToReturn() {
        RateLimiter limiter = limiter(5);
        exhaust(limiter);
        Lease refused = limiter.tryAcquire(3);
        refused.settle(0);
        refused.giveBack();
        refused.close();
        assertEquals(0, limiter.availablePermits());
        refused.settle(9);
        assertEquals(0, limiter.availablePermits());
    }

    @Test
    void givingBackLeavesTheLimiterAsIfItHadNeverBeen() {
        RateLimiter limiter = limiter(5);
        take(limiter, 1);
        advanceNanos(PERIOD_NANOS / 4);
        RateLimiterStatistics before = limiter.statistics();
        Lease lease = limiter.tryAcquire(2);
        lease.giveBack();
        assertEquals(before, limiter.statistics());
        lease.giveBack();
        lease.settle(0);
        lease.close();
        assertEquals(before, limiter.statistics(), "once");
    }

    @Test
    void givingBackReturnsNothingThatOthersTook() {
        RateLimiter limiter = limiter(5);
        take(limiter, 1);
        Lease givenBack = limiter.tryAcquire(1);
        Lease settled = limiter.tryAcquire(2);
        take(limiter, 1);
        givenBack.giveBack();
        assertEquals(1, limiter.availablePermits());
        settled.settle(1);
        assertEquals(2, limiter.availablePermits());
    }

    @Test
    void aGrantHasNoReasonAndARefusalSaysWho() {
        RateLimiter limiter = limiter(5, settings -> settings.name("search-api"));
        Lease granted = take(limiter, 5);
        assertTrue(granted.reason().isEmpty());
        assertTrue(granted.retryAfter().isEmpty());
        assertTrue(granted.refusedBy().isEmpty());
        Lease refused = limiter.tryAcquire(3);
        assertEquals(3, refused.permits());
        assertEquals("search-api", refused.refusedBy().orElseThrow());
    }

    @Test
    void givingBackAllLeavesTheLimiterIdle() {
        RateLimiter limiter = limiter(5);
        Lease lease = limiter.tryAcquire(5);
        assertTrue(limiter.idleDuration().isEmpty(), "not idle");
        lease.giveBack();
        assertTrue(limiter.idleDuration().isPresent(), "idle");
    }

    @Test
    void givingBackWakesWhoeverCanGoNow() {
        RateLimiter limiter = limiter(5);
        Lease lease = limiter.tryAcquire(4);
        Asked waiting = askAndWait(limiter, 5);
        Asked behind = askAndWait(limiter, 1);
        lease.giveBack();
        checkAnsweredInOrder(waiting);
        waiting.checkGranted();
        behind.checkWaits();
        assertEquals(1, limiter.statistics().queuedPermits());
    }

    @Test
    void givingBackAfterSettlingOrClosingDoesNothing() {
        RateLimiter limiter = limiter(6);
        Lease settled = limiter.tryAcquire(3);
        settled.settle(2);
        settled.giveBack();
        assertEquals(4, limiter.availablePermits());
        Lease closed = limiter.tryAcquire(3);
        closed.close();
        long available = limiter.availablePermits();
        closed.giveBack();
        assertEquals(available, limiter.availablePermits());
    }

    @Test
    void closingTwiceIsClosingOnce() {
        RateLimiter limiter = limiter(5);
        Lease first = limiter.tryAcquire(2);
        Lease second = limiter.tryAcquire(3);
        first.close();
        long available = limiter.availablePermits();
        first.close();
        assertEquals(available, limiter.availablePermits());
        second.close();
        refill();
        assertEquals(5, limiter.availablePermits());
    }

    @Test
    void waitingIsNoIdleness() {
        RateLimiter limiter = limiter(5);
        assertTrue(limiter.idleDuration().isPresent(), "idle");
        take(limiter, 1);
        assertTrue(limiter.idleDuration().isEmpty(), "not idle");
        askAndWait(limiter, 5);
        assertTrue(limiter.idleDuration().isEmpty(), "not idle");
    }
}
