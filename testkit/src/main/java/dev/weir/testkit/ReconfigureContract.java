package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests a change to another limit of the same kind: waiting requests keep their places and are rescheduled. */
public abstract class ReconfigureContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected ReconfigureContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Test
    void theNewLimitIsTold() {
        RateLimiter limiter = limiter(5);
        Limit changed = subject.limit(7, PERIOD);
        limiter.reconfigure(changed);
        assertEquals(changed, limiter.limit());
        take(limiter, 7);
    }

    @Test
    void theNewCapacityIsTheLargestRequest() {
        RateLimiter limiter = limiter(5);
        limiter.reconfigure(subject.limit(2, PERIOD));
        assertThrows(IllegalArgumentException.class, () -> limiter.tryAcquire(3));
        take(limiter, 2);
        checkRefused(RefusalReason.EXHAUSTED, limiter.tryAcquire(1));
    }

    @Test
    void whatWasGrantedCounts() {
        RateLimiter limiter = limiter(5);
        take(limiter, 5);
        limiter.reconfigure(subject.limit(7, PERIOD));
        assertEquals(2, limiter.availablePermits());
        take(limiter, 2);
        checkRefused(RefusalReason.EXHAUSTED, limiter.tryAcquire(1));
        refill();
        take(limiter, 7);
    }

    @Test
    void whoCanGoNowGoesAtOnce() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        Asked third = askAndWait(limiter, 1);
        limiter.reconfigure(subject.limit(3, PERIOD));
        checkAnsweredInOrder(first, second);
        second.checkGrantedAfter(Duration.ZERO);
        third.checkWaits();
    }

    @Test
    void whoIsLargerThanTheNewLimitIsRefused() {
        List<Integer> refused = new ArrayList<>();
        RateLimiter limiter = limiter(5, settings -> settings.observer(refusals(refused)));
        exhaust(limiter);
        Asked large = askAndWait(limiter, 4);
        Asked small = askAndWait(limiter, 2);
        Asked other = askAndWait(limiter, 3);
        limiter.reconfigure(subject.limit(2, PERIOD));
        assertTrue(large.isAnswered() && !large.isGranted());
        assertTrue(other.isAnswered() && !other.isGranted());
        assertTrue(large.lease().retryAfter().isEmpty(), "a request too large for the limit never succeeds");
        small.checkWaits();
        assertEquals(2, limiter.statistics().queuedPermits());
        assertEquals(2, limiter.statistics().refused(), "both count");
        assertEquals(List.of(4, 3), refused, "observers hear of both");
        for (int i = 0; i < 3; i++) {
            refill();
        }
        small.checkGranted();
    }

    private static RateLimiterObserver refusals(List<Integer> heard) {
        return new RateLimiterObserver() {
            @Override
            public void onRefused(int permits, RefusalReason reason) {
                heard.add(permits);
            }
        };
    }

    @Test
    void anotherKindIsRefusedAndNothingHasChanged() {
        RateLimiter limiter = limiter(1);
        Limit before = limiter.limit();
        exhaust(limiter);
        Asked waiting = askAndWait(limiter, 1);
        assertThrows(IllegalArgumentException.class, () -> limiter.reconfigure(subject.limitOfOtherKind()));
        assertEquals(before, limiter.limit());
        waiting.checkWaits();
        refill();
        waiting.checkGranted();
    }

    @Test
    void keepsPlacesNewestFirst() {
        RateLimiter limiter = limiter(1, settings -> settings.queueOrder(QueueOrder.NEWEST_FIRST));
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1);
        limiter.reconfigure(subject.limit(3, PERIOD));
        checkAnsweredInOrder(second, first);
    }
}
