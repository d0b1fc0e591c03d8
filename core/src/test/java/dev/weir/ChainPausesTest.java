package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A chain that is paused, and one of whose members is. */
class ChainPausesTest extends ChainOfTwo {

    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    @DisplayName("a pause holds up everybody, and the answer says for how long")
    void pause() {
        chain.pauseFor(Duration.ZERO);
        assertThat(chain.tryAcquire(1).isAcquired()).isTrue();
        chain.pauseFor(SECOND);
        Lease refused = chain.tryAcquire(1);
        assertThat(refused.reason()).contains(RefusalReason.PAUSED);
        assertThat(refused.retryAfter()).contains(SECOND);
        assertThat(chain.availablePermits()).isZero();
        CompletableFuture<Lease> waiting = chain.acquire();
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("while it is paused it stands in nobody's way at its members")
    void pausedStandsBack() {
        wide.tryAcquire(9);
        CompletableFuture<Lease> waiting = chain.acquire(1);
        assertThat(wide.statistics().queuedPermits()).isEqualTo(1);
        chain.pauseFor(SECOND.multipliedBy(2));
        assertThat(wide.statistics().queuedPermits()).isZero();
        time.advanceBy(SECOND.multipliedBy(2).minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(waiting).isDone();
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("while it is paused, a bounded wait fits only if what comes after the pause fits, too")
    void boundedWaitBehindAPause() {
        for (RateLimiter limiter :
                List.of(limiter("one", Limit.of(1, SECOND)), RateLimiter.chain(limiter("one", Limit.of(1, SECOND))))) {
            limiter.pauseFor(SECOND.multipliedBy(10));
            PermitRequest first = limiter.acquire(1, SECOND.multipliedBy(10), lease -> {});
            List<Lease> answers = new ArrayList<>();
            limiter.acquire(1, SECOND.multipliedBy(11).minusNanos(1), answers::add);
            PermitRequest second = limiter.acquire(1, SECOND.multipliedBy(11), lease -> {});
            assertThat(first.isSettled()).isFalse();
            assertThat(second.isSettled()).isFalse();
            assertThat(answers).hasSize(1);
            assertThat(answers.get(0).reason()).contains(RefusalReason.MAX_WAIT);
        }
    }

    @Test
    @DisplayName(
            "the pause of one member counts in what the refusal by another says, and in whether a bounded wait fits")
    void pausedMember() {
        Duration pause = SECOND.multipliedBy(5);
        for (RateLimiter paused : List.of(narrow, RateLimiter.chain(limiter("inner", Limit.of(1, SECOND))))) {
            RateLimiter full = limiter("full", Limit.of(1, SECOND));
            RateLimiter both = RateLimiter.chain(full, paused);
            full.tryAcquire();
            paused.pauseFor(pause);
            Lease refused = both.tryAcquire();
            assertThat(refused.refusedBy()).contains("full");
            assertThat(refused.retryAfter()).contains(pause);
            List<Lease> answers = new ArrayList<>();
            both.acquire(1, pause.minusNanos(1), answers::add);
            assertThat(answers).hasSize(1);
            assertThat(answers.get(0).reason()).contains(RefusalReason.MAX_WAIT);
            both.acquire(1, pause.plusNanos(1), answers::add);
            assertThat(answers).hasSize(1);
            time.advanceBy(pause);
            assertThat(answers).hasSize(2);
            assertThat(answers.get(1).isAcquired()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    @DisplayName(
            "a request that would wait too long at a member is told no time before the chain's pause ends, also if another is full")
    void retryAfterItsPause(int hours) {
        RateLimiter slow = limiter("slow", Limit.of(1, HOUR.multipliedBy(2)));
        RateLimiter both = RateLimiter.chain(slow, limiter("room", Limit.concurrency(1)));
        both.tryAcquire();
        both.pauseFor(HOUR.multipliedBy(hours));
        List<Lease> answers = new ArrayList<>();
        both.acquire(1, SECOND, answers::add);
        assertThat(answers).singleElement().satisfies(refused -> {
            assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
            assertThat(refused.retryAfter()).contains(HOUR.multipliedBy(Math.max(2, hours)));
        });
    }

    @Test
    @DisplayName("a pause that is too long for a request which waits at a member is the chain's, not that member's")
    void tooLongForOneThatWaits() {
        RateLimiter rate = limiter("rate", Limit.of(1, SECOND.multipliedBy(5)));
        RateLimiter both = RateLimiter.chain(rate, limiter("room", Limit.concurrency(1)));
        both.tryAcquire();
        List<Lease> answers = new ArrayList<>();
        both.acquire(1, SECOND.multipliedBy(6), answers::add);
        time.advanceBy(SECOND);
        assertThat(rate.statistics().queuedPermits()).isEqualTo(1);
        both.pauseFor(SECOND.multipliedBy(10));
        assertThat(answers).singleElement().satisfies(refused -> {
            assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
            assertThat(refused.refusedBy()).contains(both.name());
            assertThat(refused.refusedAt()).isEmpty();
            assertThat(refused.retryAfter()).isEmpty();
        });
    }
}
