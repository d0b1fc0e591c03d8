package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Tests that a limiter has at most one pending timer, and none while no request waits for an instant. */
public abstract class TimerContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected TimerContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void onlyOneIsPendingHoweverManyWait() {
        Seeds.each(4, seed -> {
            RateLimiter limiter = limiter(7);
            exhaust(limiter);
            Random random = new Random(seed);
            for (int i = 0; i < 250; i++) {
                askAndWait(limiter, 1 + random.nextInt(7));
                checkAtMostOneTimerIsPending();
            }
            for (int round = 0; round < 250 && limiter.statistics().queuedPermits() > 0; round++) {
                refill();
                checkAtMostOneTimerIsPending();
            }
            assertEquals(0, limiter.statistics().queuedPermits(), "everybody is served in the end");
            checkNoTimerIsPending();
        });
    }

    @Test
    void noneIsEverScheduledForWhatIsThereAtOnce() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(1_000, clock);
        for (int i = 0; i < 250; i++) {
            take(limiter, 1);
            ask(limiter, 1).checkGranted();
            assertTrue(answer(limiter.acquire(1)).isAcquired(), "acquired");
            limiter.charge(1);
        }
        assertFalse(limiter.tryAcquire(1).isAcquired(), "acquired");
        limiter.close();
        assertEquals(0, clock.scheduled(), "timers that were set");
    }

    @Test
    void noneIsLeftOnceNobodyWaits() {
        RateLimiter limiter = limiter(3);
        exhaust(limiter);
        Asked granted = askAndWait(limiter, 3);
        refill();
        granted.checkGranted();
        checkNoTimerIsPending();
        Asked cancelled = askAndWait(limiter, 3);
        cancelled.cancel();
        checkNoTimerIsPending();
        askAndWait(limiter, 3);
        limiter.close();
        checkNoTimerIsPending();
    }

    @Test
    void oneThatFiresEarlyGrantsNothingEarly() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(1, clock);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        clock.fireAll();
        clock.jump(PERIOD_NANOS - 1);
        clock.fireAll();
        waiting.checkWaits();
        clock.jump(1);
        clock.fireAll();
        waiting.checkGranted();
    }

    @Test
    void oneThatFiresWhileTheClockStandsStillGrantsNothing() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(1, clock);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        for (int i = 0; i < 10; i++) {
            clock.fireAll();
        }
        waiting.checkWaits();
        assertEquals(1, limiter.statistics().queuedPermits());
    }

    @Test
    void oneThatFiresTwiceGrantsOnce() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(2, clock);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        Asked third = askAndWait(limiter, 1);
        clock.jump(PERIOD_NANOS);
        clock.fireAll();
        clock.fireAll();
        checkAnsweredInOrder(first, second);
        third.checkWaits();
        assertEquals(3, limiter.statistics().acquired());
    }

    @Test
    void oneThatFiresAfterEverybodyLeftTakesNothing() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(1, clock);
        exhaust(limiter);
        askAndWait(limiter, 1).cancel();
        clock.jump(PERIOD_NANOS);
        clock.fireAll();
        assertEquals(1, limiter.availablePermits());
        limiter.close();
        clock.fireAll();
    }

    @Test
    void oneThatFiresLateGrantsThenAndLetsNobodyOvertake() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(1, clock);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        clock.jump(PERIOD_NANOS + PERIOD_NANOS / 3);
        assertFalse(limiter.tryAcquire(1).isAcquired(), "whoever comes before the timer");
        Asked newcomer = askAndWait(limiter, 1);
        clock.fireAll();
        checkAnsweredInOrder(waiting);
        waiting.checkGranted();
        newcomer.checkWaits();
        clock.jump(PERIOD_NANOS * 2);
        clock.fireAll();
        checkAnsweredInOrder(waiting, newcomer);
    }

    @Test
    void whoCannotBeTimedIsRefusedWithTheCause() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(1, clock);
        clock.refuseTasks(true);
        exhaust(limiter);
        Asked refused = ask(limiter, 1);
        refused.checkRefused(RefusalReason.BACKEND_UNAVAILABLE);
        assertTrue(refused.lease().cause().orElseThrow() instanceof RejectedExecutionException);
        assertTrue(refused.lease().retryAfter().isPresent());
        assertEquals(0, limiter.statistics().queuedPermits());
        clock.jump(PERIOD_NANOS);
        take(limiter, 1);
        clock.refuseTasks(false);
        Asked waiting = askAndWait(limiter, 1);
        clock.jump(PERIOD_NANOS);
        clock.fireAll();
        waiting.checkGranted();
    }

    @Test
    void whoCannotBeTimedAnyMoreIsRefusedToo() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(1, clock);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        Asked third = askAndWait(limiter, 1);
        clock.refuseTasks(true);
        clock.jump(PERIOD_NANOS);
        clock.fireAll();
        checkAnsweredInOrder(first, second, third);
        first.checkGranted();
        second.checkRefused(RefusalReason.BACKEND_UNAVAILABLE);
        third.checkRefused(RefusalReason.BACKEND_UNAVAILABLE);
        assertEquals(0, limiter.statistics().queuedPermits());
    }
}
