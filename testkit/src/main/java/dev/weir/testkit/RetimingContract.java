package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterStatistics;
import dev.weir.RefusalReason;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests, for limits whose permits return by time, that a changed limit, a charge and a settled estimate reschedule grants exactly,
 * and that a lease returns nothing that time returns.
 */
public abstract class RetimingContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected RetimingContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void anotherPeriodMovesThoseWhoWait() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        Duration half = PERIOD.dividedBy(2);
        limiter.reconfigure(subject.limit(1, half));
        checkAtMostOneTimerIsPending();
        time.advanceBy(PERIOD);
        first.checkGrantedAfter(half);
        second.checkGrantedAfter(PERIOD);
    }

    @Test
    void aLongerPeriodDelaysThem() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        limiter.reconfigure(subject.limit(1, PERIOD.multipliedBy(3)));
        time.advanceBy(PERIOD.multipliedBy(3));
        waiting.checkGrantedAfter(PERIOD.multipliedBy(3));
    }

    @Test
    void aChargeIsRepaidByTime() {
        RateLimiter limiter = limiter(5);
        limiter.charge(12);
        assertEquals(-7, limiter.availablePermits());
        assertEquals(new RateLimiterStatistics(-7, 0, 0, 0), limiter.statistics(), "no lease");
        checkRefused(RefusalReason.EXHAUSTED, limiter.tryAcquire(1));
        time.advanceBy(PERIOD.multipliedBy(2));
        assertEquals(3, limiter.availablePermits());
        time.advanceBy(PERIOD);
        assertEquals(5, limiter.availablePermits());
    }

    @Test
    void aChargeWithinWhatIsThereIsNoDebt() {
        RateLimiter limiter = limiter(5);
        limiter.charge(0);
        limiter.charge(3);
        assertEquals(2, limiter.availablePermits());
        refill();
        take(limiter, 5);
    }

    @Test
    void aChargeDelaysThoseWhoWait() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        limiter.charge(1);
        time.advanceBy(PERIOD.multipliedBy(2));
        waiting.checkGrantedAfter(PERIOD.multipliedBy(2));
        checkNoTimerIsPending();
    }

    @Test
    void settlingForMoreCharges() {
        RateLimiter limiter = limiter(5);
        Lease lease = take(limiter, 2);
        lease.settle(4);
        assertEquals(1, limiter.availablePermits());
        lease.settle(5);
        assertEquals(1, limiter.availablePermits(), "once");
        Lease other = take(limiter, 1);
        other.settle(6);
        assertEquals(-5, limiter.availablePermits());
    }

    @Test
    void closingReturnsNothing() {
        RateLimiter limiter = limiter(5);
        Lease closed = take(limiter, 2);
        Lease settled = take(limiter, 2);
        settled.settle(1);
        Asked waiting = askAndWait(limiter, 3);
        closed.close();
        settled.close();
        assertEquals(2, limiter.availablePermits(), "time returns permits, closing a lease does not");
        waiting.checkWaits();
        refill();
        waiting.checkGranted();
    }

    @Test
    void whatTimeHasReturnedDoesNotComeBackOnceMore() {
        RateLimiter limiter = limiter(5);
        Lease settled = take(limiter, 2);
        Lease givenBack = take(limiter, 3);
        time.advanceBy(PERIOD);
        take(limiter, 5);
        settled.settle(0);
        assertEquals(0, limiter.availablePermits(), "settled a period later");
        givenBack.giveBack();
        assertEquals(0, limiter.availablePermits(), "given back a period later");
        refill();
        assertEquals(5, limiter.availablePermits(), "a period after the last take");
    }

    @Test
    void aPermitIsConsumedAsTaken() {
        Seeds.each(5, seed -> {
            Random random = new Random(seed);
            RateLimiter limiter = limiter(5);
            RateLimiter twin = limiter(5);
            boolean consumes = consumes(limiter);
            for (int round = 0; round < 100; round++) {
                int permits = random.nextInt(6);
                RateLimiterStatistics before = limiter.statistics();
                boolean consumed = limiter.tryConsume(permits);
                assertEquals(consumes && twin.tryAcquire(permits).isAcquired(), consumed, "as taken of a twin");
                assertEquals(twin.availablePermits(), limiter.availablePermits());
                if (!consumed) {
                    assertEquals(before, limiter.statistics(), "refuses nobody, counted nowhere");
                }
                advanceNanos(random.nextLong(PERIOD_NANOS / 4));
            }
        });
    }

    @Test
    void idlenessBeginsWhenNothingCountsAnyMore() {
        RateLimiter limiter = limiter(1);
        assertEquals(Duration.ZERO, limiter.idleDuration().orElseThrow());
        advanceNanos(41);
        assertEquals(Duration.ofNanos(41), limiter.idleDuration().orElseThrow());
        take(limiter, 1);
        assertTrue(limiter.idleDuration().isEmpty(), "not idle");
        time.advanceBy(PERIOD.minus(NANO));
        assertTrue(limiter.idleDuration().isEmpty(), "not idle");
        time.advanceBy(NANO);
        assertEquals(Duration.ZERO, limiter.idleDuration().orElseThrow());
        advanceNanos(42);
        assertEquals(Duration.ofNanos(42), limiter.idleDuration().orElseThrow());
        limiter.charge(1);
        assertTrue(limiter.idleDuration().isEmpty(), "not idle");
    }
}
