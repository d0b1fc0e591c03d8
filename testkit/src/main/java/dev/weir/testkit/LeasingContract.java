package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Tests limits whose permits return when leases are closed, and not by time. */
public abstract class LeasingContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected LeasingContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void closingReturnsThePermits() {
        RateLimiter limiter = limiter(5);
        Lease lease = limiter.tryAcquire(3);
        assertEquals(2, limiter.availablePermits());
        time.advanceBy(Duration.ofHours(9));
        assertEquals(2, limiter.availablePermits());
        lease.close();
        assertEquals(5, limiter.availablePermits());
        lease.close();
        assertEquals(5, limiter.availablePermits());
    }

    @Test
    void settlingReturnsOnceWhatWasNotUsedAndNothingOfWhatIsBack() {
        RateLimiter limiter = limiter(5);
        Lease closed = limiter.tryAcquire(1);
        Lease settled = limiter.tryAcquire(2);
        Lease other = limiter.tryAcquire(2);
        closed.close();
        closed.settle(0);
        assertEquals(1, limiter.availablePermits(), "all was back");
        settled.settle(1);
        assertEquals(2, limiter.availablePermits());
        settled.close();
        settled.settle(0);
        assertEquals(3, limiter.availablePermits());
        other.settle(9);
        assertEquals(3, limiter.availablePermits(), "no lease would return more");
        other.close();
        assertEquals(5, limiter.availablePermits());
    }

    @Test
    void closingWakesThoseWhoWaitInOrder() {
        RateLimiter limiter = limiter(5);
        Lease three = limiter.tryAcquire(3);
        Lease two = limiter.tryAcquire(2);
        Asked four = askAndWait(limiter, 4);
        Asked one = askAndWait(limiter, 1);
        three.close();
        four.checkWaits();
        one.checkWaits();
        two.close();
        checkAnsweredInOrder(four, one);
        one.checkGranted();
    }

    @Test
    void theDrainStopsAtTheFirstThatDoesNotFitInBothOrders() {
        RateLimiter limiter = limiter(5, settings -> settings.queueOrder(QueueOrder.NEWEST_FIRST));
        Lease three = limiter.tryAcquire(3);
        Lease two = limiter.tryAcquire(2);
        Asked small = askAndWait(limiter, 1);
        Asked large = askAndWait(limiter, 4);
        three.close();
        small.checkWaits();
        large.checkWaits();
        two.close();
        checkAnsweredInOrder(large, small);
    }

    @Test
    void neverMoreThanTheLimitIsOut() {
        Seeds.each(20, seed -> {
            Random random = new Random(seed);
            RateLimiter limiter = limiter(7);
            List<Lease> out = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                if (random.nextBoolean()) {
                    limiter.acquire(1 + random.nextInt(7), out::add);
                } else if (!out.isEmpty()) {
                    out.remove(random.nextInt(out.size())).close();
                }
                int inUse = out.stream().mapToInt(Lease::permits).sum();
                assertTrue(inUse <= 7, inUse + " are out");
                assertEquals(7 - inUse, limiter.availablePermits());
            }
            checkNoTimerIsPending();
        });
    }

    @Test
    void noTimeIsToldAndNoTimerSet() {
        RateLimiter limiter = limiter(5);
        exhaust(limiter);
        assertTrue(limiter.tryAcquire(1).retryAfter().isEmpty(), "nobody knows when a lease is closed");
        assertFalse(limiter.tryConsume(1), "consumed");
        askAndWait(limiter, 1);
        checkNoTimerIsPending();
    }

    @Test
    void noTimeIsToldToWhoeverIsHeldUp() {
        checkNoTimeIsToldToWhoeverIsHeldUp(limiter(5));
    }

    @Test
    void noTimeIsToldHoweverLongTheFirstMayWait() {
        checkNoTimeIsToldToWhoeverIsHeldUp(limiter(5, settings -> settings.maxWait(PERIOD)));
    }

    private void checkNoTimeIsToldToWhoeverIsHeldUp(RateLimiter limiter) {
        take(limiter, 3);
        askAndWait(limiter, 5);
        Lease refused = limiter.tryAcquire(1);
        checkRefused(RefusalReason.EXHAUSTED, refused);
        assertEquals(Optional.empty(), refused.retryAfter(), "nobody knows when the first goes");
        Asked atOnce = ask(limiter, 1, Duration.ZERO);
        atOnce.checkRefused(RefusalReason.EXHAUSTED);
        assertEquals(Optional.empty(), atOnce.lease().retryAfter(), "nobody knows when the first goes");
        Asked shortly = ask(limiter, 1, NANO);
        time.advanceBy(NANO);
        shortly.checkRefused(RefusalReason.MAX_WAIT);
        assertEquals(Optional.empty(), shortly.lease().retryAfter(), "nobody knows when the first goes");
    }

    @Test
    void nothingCanBeConsumed() {
        RateLimiter limiter = limiter(5);
        assertFalse(limiter.tryConsume(1), "no lease, nothing to close");
        assertEquals(5, limiter.availablePermits());
    }

    @Test
    void aBoundedWaitEndsInTime() {
        RateLimiter limiter = limiter(5, settings -> settings.maxWait(PERIOD));
        Lease all = limiter.tryAcquire(5);
        Asked waiting = askAndWait(limiter, 3);
        advanceNanos(PERIOD_NANOS / 2);
        Asked later = askAndWait(limiter, 3);
        Asked shorter = ask(limiter, 1, NANO);
        shorter.checkWaits();
        assertEquals(1, time.pendingTasks(), "timers that are pending");
        time.advanceBy(NANO);
        shorter.checkRefused(RefusalReason.MAX_WAIT);
        assertEquals(NANO, shorter.waited());
        time.advanceBy(PERIOD.dividedBy(2));
        waiting.checkRefused(RefusalReason.MAX_WAIT);
        assertEquals(PERIOD, waiting.waited());
        later.checkWaits();
        all.close();
        later.checkGranted();
        checkNoTimerIsPending();
    }

    @Test
    void leavingABoundedWaitLeavesNoTimer() {
        RateLimiter limiter = limiter(5, settings -> settings.maxWait(PERIOD));
        exhaust(limiter);
        askAndWait(limiter, 1).cancel();
        checkNoTimerIsPending();
        Asked waiting = askAndWait(limiter, 1);
        limiter.close();
        waiting.checkRefused(RefusalReason.CLOSED);
        checkNoTimerIsPending();
    }

    @Test
    void whoseBoundCannotBeTimedIsRefusedWithTheCause() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(5, clock);
        exhaust(limiter);
        clock.refuseTasks(true);
        Asked refused = ask(limiter, 1, PERIOD);
        refused.checkRefused(RefusalReason.BACKEND_UNAVAILABLE);
        assertTrue(refused.lease().cause().orElse(null) instanceof RejectedExecutionException);
        assertTrue(refused.lease().retryAfter().isEmpty(), "nobody knows when a lease is closed");
        assertEquals(0, limiter.statistics().queuedPermits());
    }

    @Test
    void aWaitBoundedByZeroIsNone() {
        RateLimiter limiter = limiter(5, settings -> settings.maxWait(Duration.ZERO));
        exhaust(limiter);
        ask(limiter, 1).checkRefused(RefusalReason.EXHAUSTED);
    }

    @Test
    void whoeverStoodBehindOneWhoseTimeIsUpGoesOn() {
        RateLimiter limiter = limiter(5);
        take(limiter, 3);
        Asked large = ask(limiter, 5, PERIOD);
        Asked small = askAndWait(limiter, 2);
        time.advanceBy(PERIOD);
        large.checkRefused(RefusalReason.MAX_WAIT);
        small.checkGrantedAfter(PERIOD);
    }

    @Test
    void fewerPermitsHoldOnceEnoughAreBack() {
        RateLimiter limiter = limiter(5);
        Lease three = limiter.tryAcquire(3);
        Lease two = limiter.tryAcquire(2);
        limiter.reconfigure(subject.limit(2, PERIOD));
        assertEquals(-3, limiter.availablePermits());
        Asked waiting = askAndWait(limiter, 1);
        two.close();
        waiting.checkWaits();
        three.close();
        waiting.checkGranted();
    }

    @Test
    void idleOnlyOnceEverythingIsBack() {
        RateLimiter limiter = limiter(5);
        Lease lease = limiter.tryAcquire(1);
        time.advanceBy(PERIOD);
        assertTrue(limiter.idleDuration().isEmpty(), "not idle");
        lease.close();
        advanceNanos(17);
        assertEquals(Duration.ofNanos(17), limiter.idleDuration().orElseThrow());
    }
}
