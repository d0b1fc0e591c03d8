package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the newest-first queue: a new request that fits goes first, and if the queue is full it evicts the oldest. */
public abstract class NewestFirstContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected NewestFirstContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    private RateLimiter newestFirst(int permits, int queueLimit) {
        return limiter(
                permits,
                settings -> settings.queueOrder(QueueOrder.NEWEST_FIRST).queueLimit(queueLimit));
    }

    @Test
    void theNewestGoFirst() {
        RateLimiter limiter = newestFirst(3, 10);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        Asked third = askAndWait(limiter, 1);
        checkAtMostOneTimerIsPending();
        refill();
        checkAnsweredInOrder(third, second, first);
        first.checkGranted();
        checkNoTimerIsPending();
    }

    @Test
    void aNewcomerThatFitsGoesFirst() {
        RateLimiter limiter = newestFirst(5, 10);
        take(limiter, 2);
        Asked large = askAndWait(limiter, 5);
        take(limiter, 1);
        ask(limiter, 1).checkGranted();
        assertTrue(answer(limiter.acquire(1)).isAcquired(), "acquired");
        assertEquals(0, limiter.availablePermits());
        large.checkWaits();
    }

    @Test
    void theDrainStopsAtTheNewestIfThatDoesNotFit() {
        RateLimiter limiter = newestFirst(5, 10);
        exhaust(limiter);
        Asked small = askAndWait(limiter, 1);
        Asked large = askAndWait(limiter, 5);
        refill();
        checkAnsweredInOrder(large);
        refill();
        checkAnsweredInOrder(large, small);
        small.checkGranted();
    }

    @Test
    void evictsWholeRequestsFromTheOldestEndUntilTheNewcomerFits() {
        RateLimiter limiter = newestFirst(5, 6);
        exhaust(limiter);
        Asked oldest = askAndWait(limiter, 2);
        Asked second = askAndWait(limiter, 2);
        Asked third = askAndWait(limiter, 1);
        Asked fourth = askAndWait(limiter, 1);
        Asked newcomer = askAndWait(limiter, 3);
        checkAnsweredInOrder(oldest, second);
        oldest.checkRefused(RefusalReason.EVICTED);
        second.checkRefused(RefusalReason.EVICTED);
        assertEquals(5, limiter.statistics().queuedPermits());
        assertEquals(2, limiter.statistics().refused());
        checkAtMostOneTimerIsPending();
        refill();
        checkAnsweredInOrder(oldest, second, newcomer, fourth, third);
        third.checkGranted();
    }

    @Test
    void evictsNobodyWhileThereIsRoom() {
        RateLimiter limiter = newestFirst(5, 6);
        exhaust(limiter);
        Asked older = askAndWait(limiter, 4);
        askAndWait(limiter, 2);
        older.checkWaits();
        assertEquals(6, limiter.statistics().queuedPermits());
    }

    @Test
    void evictsAllIfTheNewcomerIsAsLargeAsTheQueue() {
        RateLimiter limiter = newestFirst(5, 4);
        exhaust(limiter);
        List<Asked> victims = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            victims.add(askAndWait(limiter, 1));
        }
        Asked newcomer = askAndWait(limiter, 4);
        assertEquals(victims, answered());
        victims.forEach(victim -> victim.checkRefused(RefusalReason.EVICTED));
        refill();
        newcomer.checkGranted();
    }

    @Test
    void evictsNobodyForOneLargerThanTheWholeQueue() {
        RateLimiter limiter = newestFirst(5, 4);
        exhaust(limiter);
        Asked older = askAndWait(limiter, 1);
        Asked newer = askAndWait(limiter, 3);
        Asked large = ask(limiter, 5);
        large.checkRefused(RefusalReason.QUEUE_FULL);
        older.checkWaits();
        newer.checkWaits();
        refill();
        checkAnsweredInOrder(large, newer, older);
        older.checkGranted();
    }

    @Test
    void withoutRoomNobodyWaits() {
        RateLimiter limiter = newestFirst(1, 0);
        ask(limiter, 1).checkGranted();
        ask(limiter, 1).checkRefused(RefusalReason.QUEUE_FULL);
        checkNoTimerIsPending();
    }

    @Test
    void theRoomOfTheEvictedIsThere() {
        RateLimiter limiter = newestFirst(5, 5);
        exhaust(limiter);
        askAndWait(limiter, 4);
        Asked newcomer = askAndWait(limiter, 2);
        askAndWait(limiter, 3);
        assertEquals(5, limiter.statistics().queuedPermits());
        newcomer.checkWaits();
    }

    @Test
    void theEvictedCannotBeCancelled() {
        RateLimiter limiter = newestFirst(1, 1);
        exhaust(limiter);
        Asked oldest = askAndWait(limiter, 1);
        Asked newest = askAndWait(limiter, 1);
        assertTrue(oldest.request().isSettled(), "settled");
        assertTrue(!oldest.cancel());
        refill();
        newest.checkGranted();
    }
}
