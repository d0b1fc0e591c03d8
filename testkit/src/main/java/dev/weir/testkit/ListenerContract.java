package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that answers are delivered in order without any lock held: listeners may throw and may call the limiter. */
public abstract class ListenerContract extends LimiterContract {

    /**
     * Creates the contract.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected ListenerContract(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    private static final int MANY = 100_000;

    @Test
    void oneThatThrowsHarmsNobodyElse() {
        RateLimiter limiter = limiter(3);
        exhaust(limiter);
        RuntimeException thrown = new IllegalStateException("on purpose");
        Asked first = askAndWait(limiter, 1);
        Asked second = askAndWait(limiter, 1).then(() -> {
            throw thrown;
        });
        Asked third = askAndWait(limiter, 1);
        List<Throwable> uncaught = new ArrayList<>();
        Uncaught.during(uncaught, this::refill);
        checkAnsweredInOrder(first, second, third);
        assertEquals(List.of(thrown), uncaught);
        Uncaught.during(
                uncaught,
                () -> limiter.acquire(0, lease -> {
                    throw thrown;
                }));
        refill();
        ask(limiter, 3).checkGranted();
    }

    @Test
    void whatAListenerBringsAboutIsDeliveredAfterIt() {
        RateLimiter limiter = limiter(2);
        exhaust(limiter);
        List<String> order = new ArrayList<>();
        Asked first = askAndWait(limiter, 2);
        Asked second = askAndWait(limiter, 1).then(() -> order.add("second"));
        Asked third = askAndWait(limiter, 1).then(() -> order.add("third"));
        first.then(() -> {
            order.add("first begins");
            first.lease().giveBack();
            order.add("first ends");
        });
        refill();
        assertEquals(List.of("first begins", "first ends", "second", "third"), order);
        second.checkGranted();
        third.checkGranted();
    }

    @Test
    void whatAListenerAsksForAndIsThereAtOnceIsToldAfterIt() {
        RateLimiter limiter = limiter(3);
        exhaust(limiter);
        List<String> order = new ArrayList<>();
        askAndWait(limiter, 1).then(() -> {
            order.add("first begins");
            limiter.acquire(1, lease -> order.add("third"));
            order.add("first ends");
        });
        askAndWait(limiter, 1).then(() -> order.add("second"));
        refill();
        refill();
        assertEquals(List.of("first begins", "first ends", "second", "third"), order);
    }

    @Test
    void whatAListenerAsksForIsAnsweredAsEver() {
        RateLimiter limiter = limiter(2);
        exhaust(limiter);
        List<Asked> asked = new ArrayList<>();
        askAndWait(limiter, 1).then(() -> asked.add(ask(limiter, 1)));
        refill();
        asked.get(0).checkGranted();
        assertTrue(limiter.tryAcquire(0).reason().isPresent());
    }

    @Test
    void areCalledOnTheThreadThatMadeTheGrantPossible() {
        RateLimiter limiter = limiter(2);
        take(limiter, 1);
        Asked large = askAndWait(limiter, 2);
        List<Thread> threads = new ArrayList<>();
        askAndWait(limiter, 1).then(() -> threads.add(Thread.currentThread()));
        large.cancel();
        assertEquals(List.of(Thread.currentThread()), threads);
    }

    @Test
    void anotherThreadMayAskMeanwhile() {
        RateLimiter limiter = limiter(2);
        List<Boolean> answered = new ArrayList<>();
        limiter.acquire(1, lease -> answered.add(answersAnotherThread(limiter)));
        exhaust(limiter);
        askAndWait(limiter, 1).then(() -> answered.add(answersAnotherThread(limiter)));
        refill();
        assertEquals(List.of(true, true), answered, "answered at once, and after a wait, without any lock held");
    }

    @Test
    void mayAskAgain() {
        RateLimiter limiter = limiter(1);
        exhaust(limiter);
        List<Asked> asked = new ArrayList<>();
        asked.add(askAndWait(limiter, 1));
        Runnable again = new Runnable() {
            @Override
            public void run() {
                if (asked.size() < 5) {
                    asked.add(ask(limiter, 1).then(this));
                }
            }
        };
        asked.get(0).then(again);
        for (int i = 0; i < 5; i++) {
            refill();
        }
        assertEquals(5, asked.size());
        assertEquals(asked, answered());
    }

    @Test
    void mayCancelTheOthers() {
        RateLimiter limiter = limiter(3);
        exhaust(limiter);
        Asked first = askAndWait(limiter, 3);
        Asked second = askAndWait(limiter, 1);
        Asked third = askAndWait(limiter, 1);
        first.then(() -> {
            assertTrue(third.cancel(), "cancelled");
            assertTrue(second.cancel(), "cancelled");
        });
        refill();
        refill();
        checkAnsweredInOrder(first);
        assertEquals(3, limiter.availablePermits());
        assertEquals(0, limiter.statistics().queuedPermits());
    }

    @Test
    void manyReleasedAtOnceNeedNoStack() {
        RateLimiter limiter = limiter(MANY);
        exhaust(limiter);
        int[] granted = {0};
        for (int i = 0; i < MANY; i++) {
            limiter.acquire(1, lease -> granted[0] += lease.permits());
        }
        refill();
        assertEquals(MANY, granted[0]);
        checkNoTimerIsPending();
    }

    @Test
    void manyThatReleaseEachOtherNeedNoStack() {
        RateLimiter limiter = limiter(1);
        int[] granted = {0};
        exhaust(limiter);
        for (int i = 0; i < MANY; i++) {
            limiter.acquire(1, lease -> {
                granted[0]++;
                lease.giveBack();
            });
        }
        refill();
        assertEquals(MANY, granted[0]);
        assertEquals(1, limiter.availablePermits());
    }

    @Test
    void manyThatAskAgainNeedNoStack() {
        RateLimiter limiter = limiter(1);
        int[] granted = {0};
        PermitListener again = new PermitListener() {
            @Override
            public void onLease(Lease lease) {
                lease.giveBack();
                if (++granted[0] < MANY) {
                    limiter.acquire(1, this);
                }
            }
        };
        List<Throwable> uncaught = new ArrayList<>();
        Uncaught.during(uncaught, () -> {
            limiter.acquire(1, again);
            refill();
        });
        assertEquals(List.of(), uncaught);
        assertEquals(MANY, granted[0]);
        assertEquals(1, limiter.availablePermits());
    }

    @Test
    void manyCancelledFromWithinNeedNoStack() {
        RateLimiter limiter = limiter(2);
        take(limiter, 1);
        List<PermitRequest> waiting = new ArrayList<>();
        int[] answered = {0};
        for (int i = 0; i < MANY; i++) {
            waiting.add(limiter.acquire(2, lease -> answered[0]++));
        }
        for (PermitRequest request : waiting) {
            assertTrue(request.cancel(), "cancelled");
        }
        assertEquals(0, answered[0]);
        assertEquals(0, limiter.statistics().queuedPermits());
        checkNoTimerIsPending();
    }
}
