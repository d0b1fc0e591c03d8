package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Tests that closing refuses each waiting request once, and that every later request throws an exception. */
public abstract class CloseContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected CloseContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void whoWaitsIsRefusedInOrder() {
        RateLimiter limiter = limiter(3);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 2);
        CompletableFuture<Lease> future = limiter.acquire(1);
        Asked second = askAndWait(limiter, 1);
        Asked probe = askAndWait(limiter, 0);
        limiter.close();
        for (Asked waiting : new Asked[] {first, second, probe}) {
            waiting.checkRefused(RefusalReason.CLOSED);
            assertTrue(waiting.lease().retryAfter().isEmpty(), "who comes back finds it closed");
            assertFalse(waiting.cancel(), () -> waiting + " can no longer be cancelled");
        }
        assertTrue(first.rank() < second.rank(), () -> first + " is refused before " + second + ", which came later");
        checkRefused(RefusalReason.CLOSED, answer(future));
        checkNoTimerIsPending();
    }

    @Test
    void laterCallsThrow() {
        RateLimiter limiter = limiter(3);
        Asked listener = new Asked(limiter, time, 1);
        limiter.close();
        checkThrows(limiter::tryAcquire);
        checkThrows(() -> limiter.tryAcquire(0));
        checkThrows(() -> limiter.tryAcquire(-1));
        if (consumes(limiter)) {
            checkThrows(() -> limiter.tryConsume(1));
        }
        checkThrows(() -> limiter.acquire(4, listener));
        checkThrows(limiter::acquire);
        checkThrows(() -> limiter.acquire(2));
        checkThrows(() -> limiter.acquire(1, listener));
        checkThrows(() -> limiter.acquire(1, PERIOD, listener));
        checkThrows(() -> limiter.acquireWithin(1, PERIOD));
        checkThrows(() -> limiter.charge(1));
        checkThrows(() -> limiter.charge(-1));
        checkThrows(() -> limiter.pauseFor(PERIOD));
        checkThrows(() -> limiter.reconfigure(subject.limit(4, PERIOD)));
        assertFalse(listener.isAnswered(), "answered");
    }

    private static void checkThrows(Executable call) {
        assertThrows(IllegalStateException.class, call);
    }

    @Test
    void closingAgainChangesNothing() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        limiter.close();
        limiter.close();
        waiting.checkRefused(RefusalReason.CLOSED);
        assertEquals(1, limiter.statistics().refused());
    }

    @Test
    void leasesThatAreOutMayStillBeSettledAndClosed() {
        RateLimiter open = limiter(9);
        RateLimiter closed = limiter(9);
        assertEquals(availableAsLeasesEnd(open, () -> {}), availableAsLeasesEnd(closed, closed::close));
    }

    private List<Long> availableAsLeasesEnd(RateLimiter limiter, Runnable before) {
        Lease first = take(limiter, 3);
        Lease second = take(limiter, 2);
        Lease third = take(limiter, 4);
        before.run();
        List<Long> available = new ArrayList<>();
        for (Runnable end : List.<Runnable>of(
                () -> first.settle(1), first::close, () -> second.settle(4), second::close, third::giveBack)) {
            end.run();
            available.add(limiter.availablePermits());
        }
        return available;
    }

    @Test
    void aListenerMayClose() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        first.then(limiter::close);
        refill();
        first.checkGranted();
        second.checkRefused(RefusalReason.CLOSED);
    }

    @Test
    void listenersOfTheClosedHearThatItIsClosed() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        List<Throwable> thrown = new ArrayList<>();
        waiting.then(() -> thrown.add(assertThrows(IllegalStateException.class, limiter::tryAcquire)));
        limiter.close();
        assertEquals(1, thrown.size());
    }

    @Test
    void theClockMayGoOn() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        limiter.close();
        refill();
        waiting.checkRefused(RefusalReason.CLOSED);
    }
}
