package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a cancelled request leaves the queue at once, and the limiter as if the request had never been made. */
public abstract class CancelContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected CancelContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void theListenerIsNeverCalled() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        assertTrue(waiting.cancel(), "cancelled");
        assertTrue(waiting.request().isSettled(), "settled");
        assertFalse(waiting.cancel(), "cancelled before");
        refill();
        assertFalse(waiting.isAnswered(), "answered");
        assertEquals(1, limiter.availablePermits(), "nothing was taken for it");
    }

    @Test
    void theRoomIsBackAtOnce() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(3));
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 3);
        ask(limiter, 1).checkRefused(RefusalReason.QUEUE_FULL);
        waiting.cancel();
        assertEquals(0, limiter.statistics().queuedPermits());
        Asked next = askAndWait(limiter, 3);
        refill();
        next.checkGranted();
    }

    @Test
    void theRoomBehindOthersIsBackAtOnce() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(3));
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        askAndWait(limiter, 2).cancel();
        Asked next = askAndWait(limiter, 2);
        refill();
        checkAnsweredInOrder(first, next);
    }

    @Test
    void theRoomOfAnEvictableIsBackAtOnce() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(3).queueOrder(QueueOrder.NEWEST_FIRST));
        exhaust(limiter);
        Asked older = askAndWait(limiter, 1);
        Asked newer = askAndWait(limiter, 2);
        newer.cancel();
        askAndWait(limiter, 2);
        older.checkWaits();
    }

    @Test
    void countsAsNeitherAcquiredNorRefused() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        askAndWait(limiter, 1).cancel();
        assertEquals(1, limiter.statistics().acquired());
        assertEquals(0, limiter.statistics().refused());
    }

    @Test
    void wakesWhoeverCanGoNow() {
        RateLimiter limiter = limiter(5);
        take(limiter, 3);
        Asked large = askAndWait(limiter, 5);
        Asked one = askAndWait(limiter, 1);
        Asked otherOne = askAndWait(limiter, 1);
        Asked third = askAndWait(limiter, 1);
        large.cancel();
        checkAnsweredInOrder(one, otherOne);
        otherOne.checkGranted();
        third.checkWaits();
    }

    @Test
    void wakesWhoeverCanGoNowInTheOtherOrderToo() {
        RateLimiter limiter = limiter(5, settings -> settings.queueOrder(QueueOrder.NEWEST_FIRST));
        Lease givenBack = take(limiter, 3);
        take(limiter, 2);
        Asked older = askAndWait(limiter, 2);
        Asked newer = askAndWait(limiter, 5);
        givenBack.giveBack();
        older.checkWaits();
        newer.cancel();
        checkAnsweredInOrder(older);
        older.checkGranted();
    }

    @Test
    void anywhereInTheQueueTheOthersKeepTheirPlaces() {
        RateLimiter limiter = limiter(5);
        exhaust(limiter);
        List<Asked> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(askAndWait(limiter, 1));
        }
        waiting.get(4).cancel();
        waiting.get(0).cancel();
        waiting.get(2).cancel();
        assertEquals(2, limiter.statistics().queuedPermits());
        refill();
        checkAnsweredInOrder(waiting.get(1), waiting.get(3));
    }

    @Test
    void comesTooLateAfterTheAnswer() {
        RateLimiter limiter = limiter(1);
        Asked granted = ask(limiter, 1);
        assertFalse(granted.cancel(), "cancelled");
        granted.checkGranted();
        Asked waiting = askAndWait(limiter, 1);
        refill();
        waiting.checkGranted();
        assertFalse(waiting.cancel(), "cancelled");
        assertEquals(0, limiter.availablePermits());
    }

    @Test
    void leavesNoTimerBehind() {
        RateLimiter limiter = limiter(2);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 2);
        first.cancel();
        second.cancel();
        checkNoTimerIsPending();
    }

    @Test
    void aStormOfCancelsLeavesTheLimiterAsItWas() {
        RateLimiter limiter = limiter(10, settings -> settings.queueLimit(10));
        exhaust(limiter);
        for (int i = 0; i < 10_000; i++) {
            askAndWait(limiter, 1 + i % 10).cancel();
        }
        assertEquals(0, limiter.statistics().queuedPermits());
        checkNoTimerIsPending();
        refill();
        take(limiter, 10);
    }

    @Test
    void requestersThatCancelWithinTheirOwnAnswerChangeNothing() {
        RateLimiter limiter = limiter(2);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        first.then(() -> assertFalse(first.request().cancel(), "cancelled"));
        Asked second = askAndWait(limiter, 1);
        refill();
        first.checkGranted();
        second.checkGranted();
    }

    @Test
    void aListenerMayCancelTheOneBehind() {
        RateLimiter limiter = limiter(2);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 2);
        Asked second = askAndWait(limiter, 1);
        Asked third = askAndWait(limiter, 1);
        first.then(second::cancel);
        refill();
        refill();
        checkAnsweredInOrder(first, third);
    }
}
