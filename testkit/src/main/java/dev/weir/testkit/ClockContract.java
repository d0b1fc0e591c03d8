package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests limits whose permits return by time with an erratic clock: nothing breaks, and no more than the capacity returns. */
public abstract class ClockContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected ClockContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    private static final long HOURS = Duration.ofHours(9).toNanos();

    @Test
    void aJumpOfHoursBringsOneFullLimit() {
        RateLimiter limiter = limiter(5);
        exhaust(limiter);
        time.advanceBy(Duration.ofHours(9));
        assertEquals(5, limiter.availablePermits());
        exhaust(limiter);
        checkRefused(RefusalReason.EXHAUSTED, limiter.tryAcquire());
    }

    @Test
    void aJumpOfHoursServesThoseWhoWaitWithinTheLimit() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(2, clock);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        Asked third = askAndWait(limiter, 1);
        clock.jump(HOURS);
        clock.fireAll();
        checkAnsweredInOrder(first, second);
        third.checkWaits();
        clock.jump(PERIOD_NANOS);
        clock.fireAll();
        third.checkGranted();
    }

    @Test
    void yearsOfSilenceChangeNothing() {
        RateLimiter limiter = limiter(3);
        exhaust(limiter);
        time.advanceBy(Duration.ofDays(365 * 100));
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        refill();
        waiting.checkGranted();
        assertEquals(2, limiter.availablePermits(), "available a period after all three, but one taken");
    }

    @Test
    void aClockThatStandsStillBringsNothing() {
        RateLimiter limiter = limiter(5);
        exhaust(limiter);
        for (int i = 0; i < 1_000; i++) {
            assertFalse(limiter.tryAcquire(1).isAcquired(), "acquired");
        }
        assertEquals(1, limiter.statistics().acquired(), "the one that took all");
    }

    @Test
    void aStepBackBringsNothing() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(3, clock);
        clock.jump(PERIOD_NANOS * 5);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        clock.jump(-PERIOD_NANOS * 2);
        clock.fireAll();
        assertFalse(limiter.tryAcquire(1).isAcquired(), "acquired");
        assertFalse(limiter.tryAcquire(0).isAcquired(), "acquired");
        assertTrue(limiter.availablePermits() <= 0);
        assertTrue(limiter.statistics().available() <= 0);
        assertTrue(limiter.idleDuration().isEmpty(), "not idle");
        waiting.checkWaits();
        clock.jump(PERIOD_NANOS * 3);
        clock.fireAll();
        waiting.checkGranted();
        take(limiter, 2);
    }

    @Test
    void aStepBackBeforeTheBeginningBreaksNothing() {
        HostileTime clock = new HostileTime(time.nanoTime());
        RateLimiter limiter = limiter(3, clock);
        clock.jump(-HOURS);
        assertTrue(limiter.availablePermits() <= 3);
        exhaustWithin(limiter, 3);
        Asked waiting = ask(limiter, 1);
        clock.fireAll();
        waiting.checkWaits();
        clock.jump(HOURS + PERIOD_NANOS);
        clock.fireAll();
        waiting.checkGranted();
    }

    private static void exhaustWithin(RateLimiter limiter, int most) {
        int taken = 0;
        while (limiter.tryAcquire(1).isAcquired()) {
            taken++;
            assertTrue(taken <= most, "more than the limit");
        }
    }

    @Test
    void jitterNeverExceedsTheLimit() {
        Seeds.each(5, seed -> {
            HostileTime clock = new HostileTime(time.nanoTime());
            RateLimiter limiter = limiter(5, clock);
            Random random = new Random(seed);
            int taken = 0;
            for (int i = 0; i < 2_000; i++) {
                // The clock jitters, but never advances by as much as the time of one permit.
                long tremble = random.nextLong(PERIOD_NANOS / 100);
                clock.jump(tremble);
                taken += limiter.tryAcquire(1).isAcquired() ? 1 : 0;
                clock.jump(-tremble);
            }
            assertEquals(5, taken);
        });
    }
}
