package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Those who ask a chain for permits and those who only probe wait beside each other. */
class ChainProbesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MOST_READINGS = 1_000;

    private final SteppedTime time = new SteppedTime(Long.MAX_VALUE - 7);
    private final List<Integer> cancelled = new ArrayList<>();
    private final RateLimiter open = RateLimiter.builder(Limit.of(9, SECOND))
            .timeSource(new LimitedTime(time))
            .build();
    private final RateLimiter exhausted = RateLimiter.builder(Limit.of(1, SECOND))
            .timeSource(new LimitedTime(time))
            .observer(new RateLimiterObserver() {
                @Override
                public void onCancelled(int permits, long waitedNanos) {
                    cancelled.add(permits);
                }
            })
            .build();

    ChainProbesTest() {
        exhausted.tryAcquire();
    }

    /** Time that can be read so often only: a drain that looks again and again for ever ends there. */
    private static final class LimitedTime extends DelegatingTime {

        private int readings;

        LimitedTime(TimeSource time) {
            super(time);
        }

        @Override
        public long nanoTime() {
            if (++readings > MOST_READINGS) {
                throw new AssertionError("looks for ever");
            }
            return super.nanoTime();
        }
    }

    @Test
    @DisplayName(
            "whichever member makes them wait, and whoever comes first, both wait until there is a permit, and no longer")
    void bothWait() {
        for (int permitsFirst : new int[] {0, 1}) {
            for (RateLimiter chain : List.of(RateLimiter.chain(open, exhausted), RateLimiter.chain(exhausted, open))) {
                CompletableFuture<Lease> one = chain.acquire(permitsFirst);
                CompletableFuture<Lease> other = chain.acquire(1 - permitsFirst);
                assertThat(one).isNotDone();
                assertThat(other).isNotDone();
                assertThat(open.availablePermits()).as("held while they wait").isEqualTo(9);
                time.advanceBy(SECOND.minusNanos(1));
                assertThat(one).isNotDone();
                assertThat(other).isNotDone();
                time.advanceBy(1);
                time.advanceBy(SECOND); // a probe that comes after the permit is gone waits for the next
                assertThat(one).isCompletedWithValueMatching(Lease::isAcquired);
                assertThat(other).isCompletedWithValueMatching(Lease::isAcquired);
                exhausted.tryAcquire();
            }
        }
    }

    @Test
    @DisplayName("a probe does not cost the head its place at the member it waits at")
    void headKeepsItsPlace() {
        RateLimiter chain = RateLimiter.chain(exhausted, open);
        CompletableFuture<Lease> head = chain.acquire(1);
        CompletableFuture<Lease> later = exhausted.acquire(1);
        CompletableFuture<Lease> probe = chain.acquire(0);
        time.advanceBy(SECOND);
        assertThat(head).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(later).isNotDone();
        probe.cancel(false);
    }

    @Test
    @DisplayName("once no head is left, nothing stands in a member's queue for it, though a probe still waits")
    void headLeaves() {
        RateLimiter chain = RateLimiter.chain(open, exhausted);
        CompletableFuture<Lease> head = chain.acquire(1);
        CompletableFuture<Lease> probe = chain.acquire(0);
        assertThat(exhausted.statistics().queuedPermits()).isEqualTo(1);
        head.cancel(false);
        assertThat(exhausted.statistics().queuedPermits()).isZero();
        assertThat(cancelled).containsExactly(1);
        time.advanceBy(SECOND);
        assertThat(probe).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(exhausted.tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("once no probe is left, nothing stands at a member for it, though a head still waits")
    void probeLeaves() {
        RateLimiter chain = RateLimiter.chain(open, exhausted);
        CompletableFuture<Lease> head = chain.acquire(1);
        CompletableFuture<Lease> probe = chain.acquire(0);
        probe.cancel(false);
        assertThat(cancelled).containsExactly(0);
        assertThat(exhausted.statistics().queuedPermits()).isEqualTo(1);
        time.advanceBy(SECOND);
        assertThat(head).isCompletedWithValueMatching(Lease::isAcquired);
    }
}
