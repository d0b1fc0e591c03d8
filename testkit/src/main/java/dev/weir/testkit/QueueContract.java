package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the oldest-first queue: no request overtakes another or is evicted, and the queue is bounded by waiting permits. */
public abstract class QueueContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected QueueContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void whatIsThereIsGrantedAtOnce() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(0));
        ask(limiter, 3).checkGranted();
        CompletableFuture<Lease> future = limiter.acquire(2);
        assertTrue(answer(future).isAcquired(), "acquired");
        assertEquals(0, limiter.availablePermits());
        checkNoTimerIsPending();
    }

    @Test
    void manyAtOnceEqualManySingles() {
        RateLimiter singles = limiter(5);
        RateLimiter atOnce = limiter(5);
        for (int i = 0; i < 5; i++) {
            take(singles, 1);
        }
        take(atOnce, 5);
        checkRefused(RefusalReason.EXHAUSTED, singles.tryAcquire());
        checkRefused(RefusalReason.EXHAUSTED, atOnce.tryAcquire());
        refill();
        take(singles, 5);
        for (int i = 0; i < 5; i++) {
            take(atOnce, 1);
        }
    }

    @Test
    void allOrNone() {
        RateLimiter limiter = limiter(5);
        take(limiter, 3);
        checkRefused(RefusalReason.EXHAUSTED, limiter.tryAcquire(3));
        assertEquals(2, limiter.availablePermits());
        take(limiter, 2);
    }

    @Test
    void theOldestGoFirst() {
        RateLimiter limiter = limiter(6);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 3);
        Asked third = askAndWait(limiter, 2);
        refill();
        checkAnsweredInOrder(first, second, third);
        third.checkGranted();
    }

    @Test
    void listenersAndFuturesStandInOneQueue() {
        RateLimiter limiter = limiter(4);
        exhaust(limiter);
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String name = "request " + i;
            if (i % 2 == 0) {
                var unused = limiter.acquire(1).thenRun(() -> order.add(name));
            } else {
                ask(limiter, 1).then(() -> order.add(name));
            }
        }
        refill();
        assertEquals(List.of("request 0", "request 1", "request 2", "request 3"), order);
    }

    @Test
    void nobodyOvertakesNeitherSyncNorAsync() {
        RateLimiter limiter = limiter(5);
        take(limiter, 3);
        Asked large = askAndWait(limiter, 5);
        checkRefused(RefusalReason.EXHAUSTED, limiter.tryAcquire(1));
        assertFalse(limiter.tryConsume(1), "consumed");
        Asked small = askAndWait(limiter, 1);
        assertEquals(6, limiter.statistics().queuedPermits());
        refill();
        large.checkGranted();
        refill();
        checkAnsweredInOrder(large, small);
        small.checkGranted();
    }

    @Test
    void roomIsCountedInPermits() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(5));
        exhaust(limiter);
        Asked three = askAndWait(limiter, 3);
        Asked two = askAndWait(limiter, 2);
        Asked one = ask(limiter, 1);
        one.checkRefused(RefusalReason.QUEUE_FULL);
        checkRefused(RefusalReason.QUEUE_FULL, answer(limiter.acquire(1)));
        three.checkWaits();
        two.checkWaits();
        assertEquals(5, limiter.statistics().queuedPermits());
        refill();
        checkAnsweredInOrder(one, three, two);
        two.checkGranted();
        assertEquals(0, limiter.statistics().queuedPermits());
    }

    @Test
    void whatDoesNotFitIsRefusedAndASmallerOneStillFits() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(4));
        exhaust(limiter);
        Asked three = askAndWait(limiter, 3);
        ask(limiter, 2).checkRefused(RefusalReason.QUEUE_FULL);
        ask(limiter, 5).checkRefused(RefusalReason.QUEUE_FULL);
        Asked one = askAndWait(limiter, 1);
        refill();
        three.checkGranted();
        one.checkGranted();
    }

    @Test
    void withoutRoomNobodyWaits() {
        RateLimiter limiter = limiter(1, settings -> settings.queueLimit(0));
        ask(limiter, 1).checkGranted();
        ask(limiter, 1).checkRefused(RefusalReason.QUEUE_FULL);
        checkNoTimerIsPending();
        refill();
        ask(limiter, 1).checkGranted();
    }

    @Test
    void roomComesBackWithEveryGrant() {
        RateLimiter limiter = limiter(2, settings -> settings.queueLimit(2));
        exhaust(limiter);
        for (int round = 0; round < 3; round++) {
            Asked both = askAndWait(limiter, 2);
            ask(limiter, 1).checkRefused(RefusalReason.QUEUE_FULL);
            refill();
            both.checkGranted();
        }
    }

    @Test
    void theDrainStopsAtTheFirstThatDoesNotFit() {
        RateLimiter limiter = limiter(5);
        exhaust(limiter);
        Asked four = askAndWait(limiter, 4);
        Asked two = askAndWait(limiter, 2);
        Asked one = askAndWait(limiter, 1);
        refill();
        four.checkGranted();
        one.checkWaits(); // one permit is left, but not for the request behind
        refill();
        checkAnsweredInOrder(four, two, one);
        one.checkGranted();
    }

    @Test
    void thoseWhoWaitShareOutEveryPermit() {
        RateLimiter limiter = limiter(10);
        exhaust(limiter);
        List<Asked> waiting = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            waiting.add(askAndWait(limiter, 1));
        }
        for (int round = 1; round <= 3; round++) {
            refill();
            assertEquals(waiting.subList(0, 10 * round), answered());
            assertEquals(30 - 10 * round, limiter.statistics().queuedPermits());
        }
        checkNoTimerIsPending();
    }
}
