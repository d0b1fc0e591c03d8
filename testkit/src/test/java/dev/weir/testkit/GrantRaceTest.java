package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A request that leaves at the worst moment: after its permits were taken, before it was told. A policy that lets the test in
 * at that moment makes the race a matter of course.
 */
final class GrantRaceTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final PermitLedger ledger = new PermitLedger();
    private final List<Lease> delivered = new ArrayList<>();
    private Runnable afterTheNextAsk = () -> {};

    private final RateLimiter limiter = RateLimiter.builder(
                    new MeddledLimit(ledger.watching(Limit.of(3, SECOND)), this::meddle))
            .timeSource(time)
            .build();

    private void meddle() {
        Runnable once = afterTheNextAsk;
        afterTheNextAsk = () -> {};
        once.run();
    }

    private PermitRequest ask(int permits) {
        return limiter.acquire(permits, ledger.listener(delivered::add));
    }

    private void exhaust() {
        ledger.delivered(limiter.tryAcquire(3));
    }

    @Test
    void aCancelledRequestGivesItsPermitsToTheNext() {
        exhaust();
        PermitRequest first = ask(2);
        PermitRequest second = ask(3);
        afterTheNextAsk = () -> assertThat(first.cancel()).isTrue();
        time.advanceBy(SECOND);
        assertThat(second.isSettled()).isTrue();
        assertThat(delivered).extracting(Lease::permits).containsExactly(3);
        assertThat(limiter.statistics().queuedPermits()).isZero();
        ledger.assertConserved();
    }

    @Test
    void aCancelledRequestLeavesTheLimiterAsIfItHadNeverBeen() {
        exhaust();
        PermitRequest only = ask(2);
        afterTheNextAsk = () -> assertThat(only.cancel()).isTrue();
        time.advanceBy(SECOND);
        assertThat(delivered).isEmpty();
        assertThat(limiter.availablePermits()).isEqualTo(3);
        assertThat(limiter.statistics().acquired()).isEqualTo(1);
        assertThat(time.pendingTasks()).isZero();
        ledger.assertConserved();
    }

    @Test
    void aCancelledFutureSwallowsNoPermit() {
        exhaust();
        CompletableFuture<Lease> future = limiter.acquire(2);
        afterTheNextAsk = () -> assertThat(future.cancel(true)).isTrue();
        time.advanceBy(SECOND);
        assertThat(limiter.availablePermits()).isEqualTo(3);
        ledger.assertConserved();
    }

    @Test
    void aGrantUnderWayIsDeliveredThoughTheLimiterIsClosed() {
        exhaust();
        ask(2);
        ask(1);
        afterTheNextAsk = limiter::close;
        time.advanceBy(SECOND);
        assertThat(delivered).hasSize(2);
        assertThat(delivered.get(0).isAcquired()).isTrue();
        ledger.assertConserved();
        assertThat(delivered.get(1).isAcquired() || delivered.get(1).reason().orElseThrow() == RefusalReason.CLOSED)
                .isTrue();
    }

    @Test
    void aRequestThatArrivesDuringAGrantStandsBehind() {
        exhaust();
        ask(2);
        afterTheNextAsk = () -> ask(1);
        time.advanceBy(SECOND);
        assertThat(delivered).extracting(Lease::permits).containsExactly(2, 1);
        ledger.assertConserved();
    }

    @Test
    void aSignalDuringAPassIsNotLost() {
        RateLimiter small = RateLimiter.builder(new MeddledLimit(Limit.of(3, SECOND), this::meddle))
                .queueLimit(2)
                .timeSource(time)
                .build();
        small.tryAcquire(3);
        List<Lease> answers = new ArrayList<>();
        Runnable another = () -> small.acquire(1, answers::add);
        // The request asks once by itself and once more in the pass over the queue, when the newcomers have been let
        // in.
        afterTheNextAsk = () -> afterTheNextAsk = another;
        small.acquire(2, answers::add);
        assertThat(answers).extracting(lease -> lease.reason().orElseThrow()).containsExactly(RefusalReason.QUEUE_FULL);
        assertThat(small.statistics().queuedPermits()).isEqualTo(2);
    }

    @Test
    void whoWaitsForAKeyIsNotForgottenForOneThatLeft() {
        RateLimiter key = PartitionedRateLimiter.<String>of(new MeddledLimit(Limit.concurrency(1), this::meddle))
                .forKey("key");
        Lease held = key.tryAcquire();
        PermitRequest first = key.acquire(1, delivered::add);
        List<PermitRequest> last = new ArrayList<>();
        afterTheNextAsk = () -> {
            first.cancel();
            key.acquire(1, delivered::add).cancel();
            last.add(key.acquire(1, delivered::add));
        };
        held.close();
        assertThat(last).singleElement().matches(PermitRequest::isSettled);
        assertThat(delivered).singleElement().matches(Lease::isAcquired);
        assertThat(key.statistics().queuedPermits()).isZero();
    }

    /** Calls the test whenever the policy has been asked for permits. */
    private record MeddledLimit(Limit limit, Runnable asked) implements Limit {

        @Override
        public int capacity() {
            return limit.capacity();
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            PermitPolicy policy = limit.newPolicy(nowNanos);
            return new PermitPolicy() {
                @Override
                public long tryTake(int permits, long now) {
                    long answer = policy.tryTake(permits, now);
                    asked.run();
                    return answer;
                }

                @Override
                public void giveBack(int permits, long takenAt, long now) {
                    policy.giveBack(permits, takenAt, now);
                }

                @Override
                public void charge(int permits, long now) {
                    policy.charge(permits, now);
                }

                @Override
                public long available(long now) {
                    return policy.available(now);
                }

                @Override
                public long nanosUntilFull(long now) {
                    return policy.nanosUntilFull(now);
                }

                @Override
                public long nanosUntil(long ahead, int permits, long now) {
                    return policy.nanosUntil(ahead, permits, now);
                }

                @Override
                public int capacity() {
                    return policy.capacity();
                }

                @Override
                public boolean returnsOnRelease() {
                    return policy.returnsOnRelease();
                }

                @Override
                public void release(int permits, long now) {
                    policy.release(permits, now);
                }
            };
        }
    }
}
