package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests bounded waits for limits whose permits return by time: a wait within its bound ends with a grant. A longer one is refused
 * at once or, if other requests made it longer, at the latest when the bound is reached.
 */
public abstract class MaxWaitContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected MaxWaitContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    private RateLimiter bounded(int permits, Duration maxWait) {
        return limiter(permits, settings -> settings.maxWait(maxWait));
    }

    @Test
    void aWaitEqualToTheBoundFits() {
        RateLimiter limiter = bounded(1, PERIOD);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        time.advanceBy(PERIOD);
        waiting.checkGrantedAfter(PERIOD);
        checkNoTimerIsPending();
    }

    @Test
    void aLongerOneIsRefusedAtOnce() {
        RateLimiter limiter = bounded(1, PERIOD.minus(NANO));
        exhaust(limiter);
        Asked refused = ask(limiter, 1);
        refused.checkRefused(RefusalReason.MAX_WAIT);
        assertEquals(PERIOD, refused.lease().retryAfter().orElseThrow());
        checkRefused(RefusalReason.MAX_WAIT, answer(limiter.acquire(1)));
        assertEquals(0, limiter.statistics().queuedPermits());
        checkNoTimerIsPending();
        advanceNanos(1);
        askAndWait(limiter, 1);
    }

    @Test
    void zeroNeverWaits() {
        RateLimiter limiter = bounded(1, Duration.ZERO);
        ask(limiter, 1).checkGranted();
        Asked refused = ask(limiter, 1);
        refused.checkRefused(RefusalReason.EXHAUSTED);
        assertEquals(PERIOD, refused.lease().retryAfter().orElseThrow());
        checkRefused(RefusalReason.EXHAUSTED, answer(limiter.acquire(1)));
        checkNoTimerIsPending();
    }

    @Test
    void zeroOfARequestNeverWaitsBehindOthers() {
        RateLimiter limiter = limiter(5);
        take(limiter, 3);
        askAndWait(limiter, 5);
        ask(limiter, 1, Duration.ZERO).checkRefused(RefusalReason.EXHAUSTED);
    }

    @Test
    void theBoundOfARequestHoldsBesideThatOfTheLimiter() {
        RateLimiter limiter = bounded(1, PERIOD);
        exhaust(limiter);
        ask(limiter, 1, PERIOD.minus(NANO)).checkRefused(RefusalReason.MAX_WAIT);
        Asked waiting = ask(limiter, 1, PERIOD.multipliedBy(9));
        waiting.checkWaits();
        ask(limiter, 1, PERIOD.multipliedBy(9)).checkRefused(RefusalReason.MAX_WAIT);
        time.advanceBy(PERIOD);
        waiting.checkGrantedAfter(PERIOD);
    }

    @Test
    void theBoundOfAFutureHoldsAsThatOfARequest() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        CompletableFuture<Lease> tooShort = limiter.acquireWithin(1, PERIOD.minus(NANO));
        checkRefused(RefusalReason.MAX_WAIT, answer(tooShort));
        assertFalse(tooShort.isCompletedExceptionally(), "failed");
        assertEquals(PERIOD, answer(tooShort).retryAfter().orElseThrow());
        CompletableFuture<Lease> fits = limiter.acquireWithin(1, PERIOD);
        assertFalse(fits.isDone(), "answered");
        time.advanceBy(PERIOD);
        assertTrue(answer(fits).isAcquired(), "acquired");
        checkNoTimerIsPending();
    }

    @Test
    void thoseAheadCount() {
        RateLimiter limiter = bounded(1, PERIOD.multipliedBy(2));
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        Asked third = ask(limiter, 1);
        third.checkRefused(RefusalReason.MAX_WAIT);
        assertEquals(PERIOD, third.lease().retryAfter().orElseThrow(), "alone");
        time.advanceBy(PERIOD.multipliedBy(2));
        first.checkGrantedAfter(PERIOD);
        second.checkGrantedAfter(PERIOD.multipliedBy(2));
    }

    @Test
    void newestFirstNobodyIsAhead() {
        RateLimiter limiter = limiter(1, settings -> settings.maxWait(PERIOD).queueOrder(QueueOrder.NEWEST_FIRST));
        exhaust(limiter);
        Asked older = askAndWait(limiter, 1);
        Asked newer = askAndWait(limiter, 1);
        time.advanceBy(PERIOD);
        newer.checkGrantedAfter(PERIOD);
        older.checkRefused(RefusalReason.MAX_WAIT);
        assertEquals(PERIOD, older.waited(), "the newer took what the older waited for");
        assertEquals(PERIOD, older.lease().retryAfter().orElseThrow());
        assertEquals(1, limiter.statistics().refused(), "a refusal at the bound counts");
        checkNoTimerIsPending();
    }

    @Test
    void newestFirstItEndsInTimeBehindOneThatHasToWaitLonger() {
        RateLimiter limiter = limiter(4, settings -> settings.queueOrder(QueueOrder.NEWEST_FIRST));
        exhaust(limiter);
        Duration bound = PERIOD.plus(PERIOD.dividedBy(2));
        Asked bounded = ask(limiter, 1, bound);
        bounded.checkWaits();
        Asked newer = askAndWait(limiter, 4);
        Asked newest = askAndWait(limiter, 4);
        time.advanceBy(PERIOD.multipliedBy(2));
        newest.checkGrantedAfter(PERIOD);
        checkRefusedWithin(bound, bounded);
        newer.checkGrantedAfter(PERIOD.multipliedBy(2));
        checkNoTimerIsPending();
    }

    @Test
    void aPauseThatMakesItLongerRefusesInTime() {
        RateLimiter limiter = bounded(1, PERIOD);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        limiter.pauseFor(PERIOD.plus(NANO));
        time.advanceBy(PERIOD);
        checkRefusedWithin(PERIOD, waiting);
        time.advanceBy(PERIOD);
        take(limiter, 1);
    }

    @Test
    void aChargeThatMakesItLongerRefusesInTime() {
        RateLimiter limiter = bounded(1, PERIOD.multipliedBy(2));
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        limiter.charge(1);
        time.advanceBy(PERIOD.multipliedBy(2));
        first.checkGrantedAfter(PERIOD.multipliedBy(2));
        checkRefusedWithin(PERIOD.multipliedBy(2), second);
        checkNoTimerIsPending();
    }

    @Test
    void inTheMiddleOfTheQueueToo() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked bounded = ask(limiter, 1, PERIOD.multipliedBy(2));
        Asked third = askAndWait(limiter, 1);
        limiter.charge(3);
        checkAtMostOneTimerIsPending();
        time.advanceBy(PERIOD.multipliedBy(2));
        checkRefusedWithin(PERIOD.multipliedBy(2), bounded);
        first.checkWaits();
        assertEquals(2, limiter.statistics().queuedPermits());
        time.advanceBy(PERIOD.multipliedBy(3));
        first.checkGrantedAfter(PERIOD.multipliedBy(4));
        third.checkGrantedAfter(PERIOD.multipliedBy(5));
    }

    @Test
    void whoeverStoodBehindTheRefusedGoesOn() {
        RateLimiter limiter = limiter(5);
        take(limiter, 3);
        Asked large = ask(limiter, 5, PERIOD);
        large.checkWaits();
        Asked small = askAndWait(limiter, 2);
        limiter.pauseFor(PERIOD.multipliedBy(2));
        time.advanceBy(PERIOD);
        checkRefusedWithin(PERIOD, large);
        time.advanceBy(PERIOD);
        small.checkGrantedAfter(PERIOD.multipliedBy(2));
    }

    @Test
    void leavingBeforeTheTimeIsUpLeavesNoTimer() {
        RateLimiter limiter = bounded(1, PERIOD);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        waiting.cancel();
        checkNoTimerIsPending();
    }

    private static void checkRefusedWithin(Duration bound, Asked request) {
        request.checkRefused(RefusalReason.MAX_WAIT);
        assertTrue(request.waited().compareTo(bound) <= 0, () -> request + " waited " + request.waited());
        assertTrue(request.lease().retryAfter().isPresent(), "retryAfter on every refusal");
    }
}
