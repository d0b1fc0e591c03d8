package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A listener that blocks keeps back only what its own thread had decided before it. */
@Timeout(60)
class BlockingListenerTest {

    private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(2));
    private final SteppedTime time = new SteppedTime(0);
    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @Test
    @DisplayName("a listener that blocks delays no request that another thread makes or grants")
    void delaysNobodyElse() throws InterruptedException {
        Lease first = limiter.tryAcquire();
        Lease second = limiter.tryAcquire();
        limiter.acquire(1, lease -> block());
        CompletableFuture<Lease> waiting = limiter.acquire();
        Thread closing = new Thread(first::close);
        closing.start();
        try {
            assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(waiting).isNotDone();

            second.close();

            assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
            waiting.join().close();
            assertThat(limiter.tryAcquire().isAcquired()).isTrue();
        } finally {
            release.countDown();
        }
        closing.join();
    }

    @Test
    @DisplayName("at a member it keeps no chain from asking there for its next request")
    void delaysNoChain() throws InterruptedException {
        RateLimiter member = exhausted(Limit.of(2, Duration.ofNanos(100)));
        RateLimiter chain = RateLimiter.chain(member, RateLimiter.of(Limit.concurrency(10)));
        member.acquire(1, lease -> block());
        CompletableFuture<Lease> first = chain.acquire();
        CompletableFuture<Lease> second = chain.acquire();
        whileBlockedAfter(100, () -> {
            assertThat(first).as("decided by the thread that is blocked").isNotDone();
            time.advanceBy(100);
            assertThat(second).isCompletedWithValueMatching(Lease::isAcquired);
        });
        assertThat(first).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName("at a member it keeps no chain from moving on to the next member")
    void delaysNoChainThatMovesOn() throws InterruptedException {
        RateLimiter member = exhausted(Limit.of(2, Duration.ofNanos(100)));
        RateLimiter later = exhausted(Limit.of(1, Duration.ofNanos(150)));
        member.acquire(1, lease -> block());
        CompletableFuture<Lease> waiting = RateLimiter.chain(member, later).acquire();
        whileBlockedAfter(100, () -> {
            time.advanceBy(50);
            assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
        });
    }

    @Test
    @DisplayName("at a member it keeps no chain from refusing those whose time is up")
    void delaysNoDeadlineOfAChain() throws InterruptedException {
        Limit limit = Limit.of(3, Duration.ofNanos(100));
        RateLimiter member = exhausted(limit);
        RateLimiter chain = RateLimiter.chain(member, exhausted(Limit.concurrency(1)));
        member.acquire(1, lease -> block());
        CompletableFuture<Lease> first = new CompletableFuture<>();
        CompletableFuture<Lease> second = new CompletableFuture<>();
        chain.acquire(1, Duration.ofNanos(100), first::complete);
        chain.acquire(1, Duration.ofNanos(210), second::complete);
        member.reconfigure(Limit.of(3, Duration.ofNanos(50)));
        member.reconfigure(limit); // its timer is set anew at 50, and so fires after that of the chain
        time.advanceBy(50);
        member.charge(2);
        whileBlockedAfter(50, () -> {
            time.advanceBy(110);
            assertThat(second).isCompletedWithValueMatching(BlockingListenerTest::isTooLate);
            assertThat(member.statistics().queuedPermits()).isZero();
        });
        assertThat(first).isCompletedWithValueMatching(BlockingListenerTest::isTooLate);
    }

    private RateLimiter exhausted(Limit limit) {
        RateLimiter exhausted = RateLimiter.builder(limit).timeSource(time).build();
        exhausted.tryAcquire(limit.capacity());
        return exhausted;
    }

    private static boolean isTooLate(Lease lease) {
        return lease.reason().equals(Optional.of(RefusalReason.MAX_WAIT));
    }

    /** Lets another thread move the time on until a listener blocks it. */
    private void whileBlockedAfter(long nanos, Runnable then) throws InterruptedException {
        Thread timer = new Thread(() -> time.advanceBy(nanos));
        timer.start();
        try {
            assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
            then.run();
        } finally {
            release.countDown();
        }
        timer.join();
    }

    private void block() {
        blocked.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
