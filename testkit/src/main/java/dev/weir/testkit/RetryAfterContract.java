package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.QueueOrder;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests {@code retryAfter}, for permits that return by time: a retry then, alone, succeeds, and not a nanosecond earlier. */
public abstract class RetryAfterContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected RetryAfterContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    private static final int ROUNDS = 200;

    /** Retries after {@code retryAfter}, once a nanosecond early and once in time. */
    private void checkExact(RateLimiter limiter, int permits, Lease refused) {
        Duration wait =
                refused.retryAfter().orElseThrow(() -> new AssertionError("No retryAfter: " + refused.reason()));
        assertTrue(wait.compareTo(Duration.ZERO) > 0, () -> "positive: " + wait);
        time.advanceBy(wait.minus(NANO));
        assertFalse(limiter.tryAcquire(permits).isAcquired(), () -> "granted 1 ns before " + wait);
        time.advanceBy(NANO);
        assertTrue(limiter.tryAcquire(permits).isAcquired(), () -> "refused after " + wait);
    }

    @Test
    void holdsForWhateverWasTakenWhenever() {
        Seeds.each(10, seed -> {
            Random random = new Random(seed);
            RateLimiter limiter = limiter(1 + random.nextInt(9));
            for (int round = 0; round < ROUNDS; round++) {
                int permits = random.nextInt(limiter.limit().capacity() + 1);
                Lease lease = limiter.tryAcquire(permits);
                if (!lease.isAcquired()) {
                    checkRefused(RefusalReason.EXHAUSTED, lease);
                    checkExact(limiter, permits, lease);
                }
                advanceNanos(random.nextLong(PERIOD_NANOS / 4));
            }
        });
    }

    @Test
    void holdsWhileInDebt() {
        RateLimiter limiter = limiter(3);
        limiter.charge(11);
        checkExact(limiter, 2, limiter.tryAcquire(2));
    }

    @Test
    void holdsForAProbe() {
        RateLimiter limiter = limiter(3);
        exhaust(limiter);
        checkExact(limiter, 0, limiter.tryAcquire(0));
    }

    @Test
    void holdsWhereTheQueueIsFullOnceTheOthersHaveLeft() {
        RateLimiter limiter = limiter(4, settings -> settings.queueLimit(3));
        exhaust(limiter);
        advanceNanos(PERIOD_NANOS / 3);
        Asked waiting = askAndWait(limiter, 3);
        Asked refused = ask(limiter, 2);
        refused.checkRefused(RefusalReason.QUEUE_FULL);
        waiting.cancel();
        checkExact(limiter, 2, refused.lease());
    }

    @Test
    void holdsForTheEvictedOnceTheOthersHaveLeft() {
        RateLimiter limiter = limiter(4, settings -> settings.queueLimit(3).queueOrder(QueueOrder.NEWEST_FIRST));
        exhaust(limiter);
        Asked evicted = askAndWait(limiter, 2);
        advanceNanos(PERIOD_NANOS / 5);
        Asked newcomer = askAndWait(limiter, 3);
        evicted.checkRefused(RefusalReason.EVICTED);
        newcomer.cancel();
        checkExact(limiter, 2, evicted.lease());
    }

    @Test
    void holdsWhereTheWaitWouldBeTooLongOnceTheOthersHaveLeft() {
        RateLimiter limiter = limiter(1, settings -> settings.maxWait(PERIOD));
        exhaust(limiter);
        Asked ahead = askAndWait(limiter, 1);
        Asked refused = ask(limiter, 1);
        refused.checkRefused(RefusalReason.MAX_WAIT);
        ahead.cancel();
        checkExact(limiter, 1, refused.lease());
    }

    @Test
    void holdsWhilePaused() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        limiter.pauseFor(PERIOD.dividedBy(2));
        checkExact(limiter, 1, limiter.tryAcquire());
        limiter.pauseFor(PERIOD.multipliedBy(3));
        checkExact(limiter, 1, limiter.tryAcquire());
    }

    @Test
    void isWhenTheFirstIsDueWhereOnlyOthersAreInTheWay() {
        checkHeldUpUntilTheFirstIsDue(limiter(5));
    }

    @Test
    void isWhenTheFirstIsDueHoweverLongItMayWait() {
        checkHeldUpUntilTheFirstIsDue(limiter(5, settings -> settings.maxWait(PERIOD.multipliedBy(9))));
    }

    private void checkHeldUpUntilTheFirstIsDue(RateLimiter limiter) {
        take(limiter, 3);
        Asked first = askAndWait(limiter, 5);
        Lease refused = limiter.tryAcquire(1);
        checkRefused(RefusalReason.EXHAUSTED, refused);
        assertTrue(refused.refusedBy().isPresent());
        Duration wait = refused.retryAfter().orElseThrow();
        assertTrue(wait.compareTo(Duration.ZERO) > 0, () -> "positive: " + wait);
        time.advanceBy(wait.minus(NANO));
        first.checkWaits();
        time.advanceBy(NANO);
        first.checkGrantedAfter(wait);
    }

    @Test
    void survivesTheExceptionThatStreamsFailWith() {
        RateLimiter limiter = limiter(1, settings -> settings.name("search-api"));
        exhaust(limiter);
        Lease refused = limiter.tryAcquire();
        RateLimitExceededException exceeded = new RateLimitExceededException(refused, limiter.name());
        assertSame(refused, exceeded.lease());
        String message = String.valueOf(exceeded.getMessage());
        assertTrue(message.contains("search-api") && message.contains("EXHAUSTED"), message);
        assertEquals(0, exceeded.getStackTrace().length);
    }
}
