package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.RateLimiterStatistics;
import dev.weir.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that observers are notified of every answer once, right before the listener, and that statistics count the same. */
public abstract class ObserverContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected ObserverContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    private final List<String> heard = new ArrayList<>();

    private final RateLimiterObserver recorder = new RateLimiterObserver() {
        @Override
        public void onAcquired(int permits, long waitedNanos) {
            heard.add("acquired " + permits + " after " + waitedNanos);
        }

        @Override
        public void onQueued(int permits) {
            heard.add("queued " + permits);
        }

        @Override
        public void onRefused(int permits, RefusalReason reason) {
            heard.add("refused " + permits + " " + reason);
        }

        @Override
        public void onCancelled(int permits, long waitedNanos) {
            heard.add("cancelled " + permits + " after " + waitedNanos);
        }
    };

    private void checkHeard(String... calls) {
        assertEquals(List.of(calls), heard);
        heard.clear();
    }

    @Test
    void hearEveryCallOnce() {
        RateLimiter limiter = limiter(5, settings -> settings.observer(recorder).queueLimit(3));
        take(limiter, 2);
        checkHeard("acquired 2 after 0");
        ask(limiter, 3).checkGranted();
        checkHeard("acquired 3 after 0");
        checkRefused(RefusalReason.EXHAUSTED, limiter.tryAcquire(1));
        checkHeard("refused 1 EXHAUSTED");
        Asked waiting = askAndWait(limiter, 3);
        checkHeard("queued 3");
        ask(limiter, 1).checkRefused(RefusalReason.QUEUE_FULL);
        checkHeard("refused 1 QUEUE_FULL");
        refill();
        checkHeard("acquired 3 after " + waiting.waited().toNanos());
        ask(limiter, 2).checkGranted();
        checkHeard("acquired 2 after 0");
        Asked cancelled = askAndWait(limiter, 2);
        advanceNanos(500);
        cancelled.cancel();
        checkHeard("queued 2", "cancelled 2 after 500");
        askAndWait(limiter, 3);
        limiter.close();
        checkHeard("queued 3", "refused 3 CLOSED");
    }

    @Test
    void hearOfRefusalsAtTheBoundAndInAPause() {
        RateLimiter limiter = limiter(1, settings -> settings.observer(recorder));
        exhaust(limiter);
        ask(limiter, 1, PERIOD).checkWaits();
        checkHeard("acquired 1 after 0", "queued 1");
        limiter.pauseFor(PERIOD.multipliedBy(2));
        time.advanceBy(PERIOD);
        checkHeard("refused 1 MAX_WAIT");
        checkRefused(RefusalReason.PAUSED, limiter.tryAcquire(1));
        checkHeard("refused 1 PAUSED");
        assertEquals(2, limiter.statistics().refused(), "each counts");
    }

    @Test
    void hearOfWhatIsConsumed() {
        RateLimiter limiter = limiter(2, settings -> settings.observer(recorder));
        if (limiter.tryConsume(2)) {
            checkHeard("acquired 2 after 0");
            assertEquals(1, limiter.statistics().acquired());
            assertFalse(limiter.tryConsume(1), "consumed");
        }
        checkHeard();
        assertEquals(0, limiter.statistics().refused(), "nobody is refused");
    }

    @Test
    void hearOfEvictionsInOrder() {
        RateLimiter limiter =
                limiter(5, settings -> settings.observer(recorder).queueLimit(3).queueOrder(QueueOrder.NEWEST_FIRST));
        exhaust(limiter);
        askAndWait(limiter, 1);
        askAndWait(limiter, 2);
        heard.clear();
        askAndWait(limiter, 3);
        assertEquals(Set.of("queued 3", "refused 1 EVICTED", "refused 2 EVICTED"), Set.copyOf(heard));
        assertEquals(3, heard.size(), () -> "calls, each once: " + heard);
        assertTrue(
                heard.indexOf("refused 1 EVICTED") < heard.indexOf("refused 2 EVICTED"),
                () -> "the oldest is evicted first: " + heard);
    }

    @Test
    void hearOfEachRightBeforeTheRequester() {
        RateLimiter limiter = limiter(2, settings -> settings.observer(recorder));
        exhaust(limiter);
        Asked first = askAndWait(limiter, 1).then(() -> heard.add("first"));
        Asked second = askAndWait(limiter, 1).then(() -> heard.add("second"));
        heard.clear();
        refill();
        checkHeard(
                "acquired 1 after " + first.waited().toNanos(),
                "first",
                "acquired 1 after " + second.waited().toNanos(),
                "second");
    }

    @Test
    void misuseIsNoNews() {
        RateLimiter limiter = limiter(2, settings -> settings.observer(recorder));
        assertThrows(IllegalArgumentException.class, () -> limiter.tryAcquire(3));
        limiter.close();
        assertThrows(IllegalStateException.class, limiter::tryAcquire);
        checkHeard();
    }

    @Test
    void oneThatThrowsHarmsNobody() {
        RuntimeException thrown = new IllegalStateException("on purpose");
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(3).observer(throwing(thrown)));
        List<Throwable> uncaught = new ArrayList<>();
        Uncaught.during(uncaught, () -> {
            exhaust(limiter);
            Asked cancelled = askAndWait(limiter, 2);
            Asked waiting = askAndWait(limiter, 1);
            ask(limiter, 1).checkRefused(RefusalReason.QUEUE_FULL);
            assertTrue(cancelled.cancel(), "cancelled");
            refill();
            waiting.checkGranted();
        });
        assertEquals(List.of(thrown, thrown, thrown, thrown, thrown, thrown), uncaught, "told to the thread's handler");
    }

    private static RateLimiterObserver throwing(RuntimeException thrown) {
        return new RateLimiterObserver() {
            @Override
            public void onAcquired(int permits, long waitedNanos) {
                throw thrown;
            }

            @Override
            public void onQueued(int permits) {
                throw thrown;
            }

            @Override
            public void onRefused(int permits, RefusalReason reason) {
                throw thrown;
            }

            @Override
            public void onCancelled(int permits, long waitedNanos) {
                throw thrown;
            }
        };
    }

    @Test
    void mayUseTheLimiter() {
        List<RateLimiter> limiters = new ArrayList<>();
        RateLimiterObserver asking = new RateLimiterObserver() {
            @Override
            public void onAcquired(int permits, long waitedNanos) {
                if (permits == 2) {
                    limiters.get(0).tryAcquire(1);
                }
            }
        };
        RateLimiter limiter = limiter(3, settings -> settings.observer(asking));
        limiters.add(limiter);
        take(limiter, 2);
        assertEquals(0, limiter.availablePermits());
    }

    @Test
    void anotherThreadMayAskMeanwhile() {
        List<RateLimiter> limiters = new ArrayList<>();
        List<Boolean> answered = new ArrayList<>();
        RateLimiterObserver asking = new RateLimiterObserver() {
            @Override
            public void onAcquired(int permits, long waitedNanos) {
                if (permits == 2) {
                    answered.add(answersAnotherThread(limiters.get(0)));
                }
            }
        };
        RateLimiter limiter = limiter(2, settings -> settings.observer(asking));
        limiters.add(limiter);
        take(limiter, 2);
        askAndWait(limiter, 2);
        refill();
        assertEquals(List.of(true, true), answered, "told at once, and after a wait, without any lock held");
    }

    @Test
    void statisticsCountLeases() {
        RateLimiter limiter = limiter(5, settings -> settings.queueLimit(4));
        assertEquals(new RateLimiterStatistics(5, 0, 0, 0), limiter.statistics());
        take(limiter, 3);
        assertEquals(new RateLimiterStatistics(2, 0, 1, 0), limiter.statistics());
        askAndWait(limiter, 4);
        assertEquals(new RateLimiterStatistics(2, 4, 1, 0), limiter.statistics());
        ask(limiter, 1).checkRefused(RefusalReason.QUEUE_FULL);
        checkRefused(RefusalReason.EXHAUSTED, limiter.tryAcquire(1));
        assertEquals(new RateLimiterStatistics(2, 4, 1, 2), limiter.statistics());
        refill();
        long available = limiter.availablePermits();
        assertEquals(new RateLimiterStatistics(available, 0, 2, 2), limiter.statistics());
    }
}
