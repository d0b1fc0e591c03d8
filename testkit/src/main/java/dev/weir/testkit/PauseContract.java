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

/** Tests that no request is granted during a pause, and that waiting requests keep their places. */
public abstract class PauseContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected PauseContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    private static final Duration PAUSE = Duration.ofSeconds(7);

    @Test
    void nobodyPassesUntilItIsOver() {
        RateLimiter limiter = limiter(5);
        limiter.pauseFor(PAUSE);
        Lease refused = limiter.tryAcquire(1);
        checkRefused(RefusalReason.PAUSED, refused);
        assertEquals(PAUSE, refused.retryAfter().orElseThrow());
        checkRefused(RefusalReason.PAUSED, limiter.tryAcquire(0));
        assertFalse(limiter.tryConsume(1), "consumed");
        time.advanceBy(PAUSE.minus(NANO));
        checkRefused(RefusalReason.PAUSED, limiter.tryAcquire(1));
        time.advanceBy(NANO);
        take(limiter, 5);
    }

    @Test
    void nothingIsAvailableUntilItIsOver() {
        RateLimiter limiter = limiter(5);
        take(limiter, 2);
        limiter.pauseFor(PAUSE);
        assertEquals(0, limiter.availablePermits(), "nothing could be taken now");
        assertEquals(0, limiter.statistics().available(), "nothing could be taken now");
        refill();
        assertEquals(0, limiter.availablePermits(), "the pause goes on");
        time.advanceBy(PAUSE.minus(PERIOD).minus(NANO));
        assertEquals(0, limiter.availablePermits(), "a nanosecond before its end");
        time.advanceBy(NANO);
        assertEquals(5, limiter.availablePermits(), "at its end");
    }

    @Test
    void whoAsksMeanwhileWaitsForItsEnd() {
        RateLimiter limiter = limiter(5);
        limiter.pauseFor(PAUSE);
        Asked listener = askAndWait(limiter, 2);
        CompletableFuture<Lease> future = limiter.acquire(3);
        checkAtMostOneTimerIsPending();
        time.advanceBy(PAUSE.minus(NANO));
        listener.checkWaits();
        assertFalse(future.isDone(), "answered");
        time.advanceBy(NANO);
        listener.checkGrantedAfter(PAUSE);
        assertTrue(answer(future).isAcquired(), "acquired");
    }

    @Test
    void whoWaitsKeepsTheirPlace() {
        RateLimiter limiter = limiter(3);
        limiter.pauseFor(PAUSE);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        limiter.pauseFor(PAUSE.multipliedBy(2));
        Asked third = askAndWait(limiter, 1);
        time.advanceBy(PAUSE);
        third.checkWaits();
        first.checkWaits();
        time.advanceBy(PAUSE);
        checkAnsweredInOrder(first, second, third);
        third.checkGrantedAfter(PAUSE.multipliedBy(2));
    }

    @Test
    void theOneThatEndsLastHolds() {
        RateLimiter limiter = limiter(1);
        limiter.pauseFor(PAUSE);
        limiter.pauseFor(PAUSE.dividedBy(2));
        time.advanceBy(PAUSE.dividedBy(2));
        Lease refused = limiter.tryAcquire();
        checkRefused(RefusalReason.PAUSED, refused);
        assertEquals(PAUSE.dividedBy(2), refused.retryAfter().orElseThrow());
    }

    @Test
    void ofZeroDoesNothing() {
        RateLimiter limiter = limiter(1);
        limiter.pauseFor(Duration.ZERO);
        take(limiter, 1);
    }

    @Test
    void isNoIdleness() {
        RateLimiter limiter = limiter(1);
        limiter.pauseFor(PAUSE);
        assertTrue(limiter.idleDuration().isEmpty(), "not idle");
        time.advanceBy(PAUSE);
        assertTrue(limiter.idleDuration().isPresent(), "idle");
    }

    @Test
    void newestFirstWaitsToo() {
        RateLimiter limiter = limiter(3, settings -> settings.queueOrder(QueueOrder.NEWEST_FIRST));
        limiter.pauseFor(PAUSE);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        time.advanceBy(PAUSE);
        checkAnsweredInOrder(second, first);
        first.checkGrantedAfter(PAUSE);
    }

    @Test
    void whoCancelsMeanwhileIsGone() {
        RateLimiter limiter = limiter(1);
        limiter.pauseFor(PAUSE);
        Asked waiting = askAndWait(limiter, 1);
        assertTrue(waiting.cancel(), "cancelled");
        checkNoTimerIsPending();
        time.advanceBy(PAUSE);
        take(limiter, 1);
    }

    @Test
    void whoWaitsForItsEndIsRefusedByTheClose() {
        RateLimiter limiter = limiter(1);
        limiter.pauseFor(PAUSE);
        Asked waiting = askAndWait(limiter, 1);
        limiter.close();
        waiting.checkRefused(RefusalReason.CLOSED);
        checkNoTimerIsPending();
    }
}
