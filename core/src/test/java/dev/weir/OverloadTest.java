package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.WaitingRequest;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** More requests arrive than the thread inside the drain decides: each pass finds what arrived during the one before. */
class OverloadTest {

    private static final int CAPACITY = 10;
    private static final int REQUESTS = 5_000;
    private static final Duration HOUR = Duration.ofHours(1);

    private final SteppedTime time = new SteppedTime(-7);
    private final Full policy = new Full();
    private final List<Lease> told = new ArrayList<>();

    /** Grants nothing, and lets something happen whenever the drain asks it. */
    private static final class Full extends StatelessPolicy {

        private Runnable meanwhile = () -> {};

        @Override
        public long tryTake(int permits, long nowNanos) {
            return HOUR.toNanos();
        }

        @Override
        public long tryTakeFirst(WaitingRequest first, long waiting, long longestNanos, long nowNanos) {
            meanwhile.run();
            return tryTake(first.permits(), nowNanos);
        }

        @Override
        public long nanosUntil(long ahead, int permits, long nowNanos) {
            return HOUR.toNanos();
        }

        @Override
        public long available(long nowNanos) {
            return 0;
        }
    }

    private RateLimiter limiter(int queueLimit) {
        return limiter(queueLimit, time);
    }

    private RateLimiter limiter(int queueLimit, TimeSource time) {
        return RateLimiter.builder(Limit.of(CAPACITY, HOUR))
                .policies((limit, key, now) -> policy)
                .queueLimit(queueLimit)
                .timeSource(time)
                .build();
    }

    /** Lets something happen once, when the drain is about to set the alarm for the first that waits. */
    private TimeSource timeWith(Runnable meanwhile) {
        return new DelegatingTime(time) {

            private Runnable once = meanwhile;

            @Override
            public Cancellable schedule(Runnable task, long delayNanos) {
                Runnable now = once;
                once = () -> {};
                now.run();
                return super.schedule(task, delayNanos);
            }
        };
    }

    @Test
    @DisplayName("answers are delivered though others go on asking")
    void answersGoOut() {
        RateLimiter limiter = limiter(0);
        int[] asked = {0};
        int[] unanswered = {0};
        policy.meanwhile = () -> {
            unanswered[0] = Math.max(unanswered[0], asked[0] - told.size());
            if (asked[0] < REQUESTS) {
                asked[0]++;
                limiter.acquire(1, told::add);
            }
        };
        limiter.acquire(1, told::add);
        assertThat(told).hasSize(REQUESTS + 1);
        assertThat(unanswered[0]).isLessThanOrEqualTo(PermitDrain.MOST_PASSES + 1);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName(
            "a thread that has decided for others returns though they go on asking, once one of the timer goes on with that")
    void threadReturns() {
        Thread caller = Thread.currentThread();
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        CompletableFuture<Void> hasReturned = new CompletableFuture<>();
        List<CompletableFuture<Void>> ofTimer = new ArrayList<>();
        RateLimiter limiter = limiter(0, new DelegatingTime(time) {
            @Override
            public Cancellable schedule(Runnable task, long delayNanos) {
                ofTimer.add(CompletableFuture.runAsync(task));
                return () -> {};
            }
        });
        int[] asked = {0};
        policy.meanwhile = () -> {
            if (Thread.currentThread() != caller) {
                goesOn.complete(null);
                hasReturned.join();
            } else if (asked[0] < REQUESTS) {
                asked[0]++;
                limiter.acquire(1, told::add);
            }
        };
        limiter.acquire(1, first -> goesOn.join());
        hasReturned.complete(null);
        ofTimer.forEach(CompletableFuture::join);
        assertThat(asked[0]).isEqualTo(PermitDrain.MOST_PASSES);
        assertThat(told).hasSize(PermitDrain.MOST_PASSES);
        assertThat(ofTimer).hasSize(1);
    }

    @Test
    @DisplayName(
            "a listener that blocks does not keep back what arrived before: a thread of the timer goes on with that")
    void listenerThatBlocks() {
        RateLimiter limiter = limiter(0);
        int[] asked = {0};
        policy.meanwhile = () -> {
            if (asked[0] < REQUESTS) {
                asked[0]++;
                limiter.acquire(1, told::add);
            }
        };
        int[] whileItBlocked = {0};
        limiter.acquire(1, lease -> {
            time.advanceBy(Duration.ZERO); // what else happens meanwhile
            whileItBlocked[0] = asked[0];
        });
        assertThat(whileItBlocked[0]).isGreaterThan(PermitDrain.MOST_PASSES + 1);
        assertThat(told).hasSize(REQUESTS);
    }

    @Test
    @DisplayName(
            "of what arrives in one pass no more stands in line than may be granted and may wait; the rest is refused at once")
    void arrivalsAreBounded() {
        int room = 3;
        RateLimiter limiter = limiter(room);
        long[] most = {0};
        long[] atOnce = {0};
        policy.meanwhile = () -> {
            policy.meanwhile = () -> {};
            for (int i = 0; i < REQUESTS; i++) {
                limiter.acquire(1, told::add);
                most[0] = Math.max(most[0], limiter.statistics().queuedPermits());
            }
            atOnce[0] = limiter.statistics().refused();
        };
        PermitRequest first = limiter.acquire(1, told::add);
        assertThat(atOnce[0]).isEqualTo(REQUESTS - room - CAPACITY);
        assertThat(most[0]).isEqualTo(1 + room + CAPACITY);
        assertThat(told)
                .hasSize(1 + REQUESTS - room)
                .allMatch(lease -> lease.reason().equals(Optional.of(RefusalReason.QUEUE_FULL)))
                .allMatch(lease -> lease.retryAfter().isPresent());
        assertThat(first.cancel()).isTrue();
        assertThat(limiter.statistics().refused()).isEqualTo(1 + REQUESTS - room);
    }

    @Test
    @DisplayName("as much may be granted at once as is there, also if one request may not ask for as much")
    void moreThanOneMayAskFor() {
        int room = 1;
        Runnable[] meanwhile = {() -> {}};
        Duration untilOne = Duration.ofMillis(100);
        RateLimiter limiter = RateLimiter.builder(Limit.leakyBucket(1, untilOne).withSlack(CAPACITY - 1))
                .queueLimit(room)
                .timeSource(timeWith(() -> meanwhile[0].run()))
                .build();
        limiter.charge((int) limiter.availablePermits());
        meanwhile[0] = () -> {
            time.advanceBy(untilOne.multipliedBy(CAPACITY));
            for (int i = 0; i < REQUESTS; i++) {
                limiter.acquire(1, told::add);
            }
        };
        limiter.acquire(1, told::add);
        assertThat(told.stream().filter(Lease::isAcquired)).hasSize(CAPACITY);
        assertThat(told).hasSize(1 + REQUESTS - room);
    }

    @Test
    @DisplayName("a request refused at once is told when those ahead could be served, also after a return")
    void toldWhenThoseAheadAreServed() {
        Runnable[] meanwhile = {() -> {}};
        RateLimiter limiter = RateLimiter.builder(Limit.of(CAPACITY, HOUR))
                .queueLimit(3)
                .timeSource(timeWith(() -> meanwhile[0].run()))
                .build();
        Lease all = limiter.tryAcquire(CAPACITY);
        meanwhile[0] = () -> {
            all.giveBack();
            for (int i = 0; i < REQUESTS; i++) {
                limiter.acquire(1, told::add);
            }
        };
        limiter.acquire(1, told::add);
        assertThat(told.stream().filter(Lease::isAcquired)).hasSize(CAPACITY);
        assertThat(told.stream().filter(lease -> !lease.isAcquired()))
                .hasSize(REQUESTS + 1 - CAPACITY - 3)
                .allMatch(lease -> lease.reason().equals(Optional.of(RefusalReason.QUEUE_FULL)))
                .allMatch(lease -> lease.retryAfter().equals(Optional.of(HOUR)));
    }

    @Test
    @DisplayName("a request refused at once is told when it could go alone, if a limit cannot tell more")
    void toldWhenItCouldBeServedAlone() {
        Runnable[] meanwhile = {() -> {}};
        RateLimiter limiter = RateLimiter.builder(Limit.allOf(Limit.concurrency(CAPACITY), Limit.of(CAPACITY, HOUR)))
                .queueLimit(3)
                .timeSource(timeWith(() -> meanwhile[0].run()))
                .build();
        limiter.tryAcquire(CAPACITY).close();
        long[] atOnce = {0};
        meanwhile[0] = () -> {
            for (int i = 0; i < REQUESTS; i++) {
                limiter.acquire(1, told::add);
            }
            atOnce[0] = limiter.statistics().refused();
        };
        limiter.acquire(1, told::add);
        assertThat(atOnce[0]).isEqualTo(REQUESTS - 3 - CAPACITY);
        assertThat(told)
                .hasSize(1 + REQUESTS - 3)
                .allMatch(lease -> lease.reason().equals(Optional.of(RefusalReason.QUEUE_FULL)))
                .allMatch(lease -> lease.retryAfter().equals(Optional.of(HOUR)));
    }
}
