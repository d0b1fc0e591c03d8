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

/** When a request that is refused only because others are ahead should be made again: when the first of those is due. */
class RetryAfterBehindOthersTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(time).build();
    }

    /** One of two places is taken, and a request for both waits. */
    private static Lease behindOneWhoNeedsBoth(RateLimiter limiter) {
        assertThat(limiter.tryAcquire(1).isAcquired()).isTrue();
        assertThat(limiter.acquire(2)).isNotDone();
        return refusedAsExhausted(limiter, 1);
    }

    private static Lease refusedAsExhausted(RateLimiter limiter, int permits) {
        Lease refused = limiter.tryAcquire(permits);
        assertThat(refused.reason()).contains(RefusalReason.EXHAUSTED);
        return refused;
    }

    @Test
    @DisplayName("the limiter of a key tells no time while the first waits for a lease to be closed")
    void ofAKey() {
        PartitionedRateLimiter<Integer> keys = PartitionedRateLimiter.<Integer>builder(key -> Limit.concurrency(2))
                .timeSource(time)
                .build();
        assertThat(behindOneWhoNeedsBoth(keys.forKey(1)).retryAfter()).isEmpty();
    }

    @Test
    @DisplayName("several limits tell no time while the first waits for a lease to be closed")
    void ofSeveralLimits() {
        RateLimiter both = limiter(Limit.allOf(Limit.concurrency(2), Limit.of(9, SECOND)));
        assertThat(behindOneWhoNeedsBoth(both).retryAfter()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a chain, or one in another, tells no time while the first waits for a lease to be closed")
    void ofAChain(boolean nested) {
        RateLimiter chain = RateLimiter.chain(limiter(Limit.of(9, SECOND)), limiter(Limit.concurrency(2)));
        RateLimiter asked = nested ? RateLimiter.chain(limiter(Limit.of(8, SECOND)), chain) : chain;
        assertThat(behindOneWhoNeedsBoth(asked).retryAfter()).isEmpty();
    }

    @Test
    @DisplayName("a chain tells when its first is due, as a limiter does")
    void untilTheFirstOfAChain() {
        for (RateLimiter limiter :
                List.of(limiter(Limit.of(3, SECOND)), RateLimiter.chain(limiter(Limit.of(3, SECOND))))) {
            limiter.tryAcquire(1);
            CompletableFuture<Lease> first = limiter.acquire(3);
            time.advanceBy(SECOND.dividedBy(4));
            Duration left = SECOND.multipliedBy(3).dividedBy(4);
            assertThat(refusedAsExhausted(limiter, 2).retryAfter()).contains(left);
            time.advanceBy(left.minusNanos(1));
            assertThat(first).isNotDone();
            time.advanceBy(1);
            assertThat(first).isCompleted();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a refusal by a chain names the time until the requests ahead at a member of the first go")
    void behindOthersAtAMember(boolean nested) {
        RateLimiter busy = limiter(Limit.of(5, SECOND));
        RateLimiter chain = RateLimiter.chain(limiter(Limit.of(9, SECOND)), busy);
        RateLimiter asked = nested ? RateLimiter.chain(limiter(Limit.of(8, SECOND)), chain) : chain;
        busy.tryAcquire(1);
        CompletableFuture<Lease> ahead = busy.acquire(5);
        CompletableFuture<Lease> first = asked.acquire(2);
        List<Lease> answers = new ArrayList<>();
        asked.acquire(1, Duration.ofMillis(1), answers::add);
        assertThat(refusedAsExhausted(asked, 1).retryAfter()).contains(SECOND);
        time.advanceBy(Duration.ofMillis(1));
        assertThat(answers).hasSize(1);
        assertThat(answers.get(0).retryAfter()).contains(Duration.ofMillis(999));
        time.advanceBy(Duration.ofMillis(999));
        assertThat(ahead).isCompleted();
        assertThat(first).as("all are taken once more").isNotDone();
        assertThat(refusedAsExhausted(asked, 1).retryAfter()).contains(SECOND);
    }

    @Test
    @DisplayName("a refusal by a chain names no time if a lease must be closed for a request ahead")
    void behindOneWhoWaitsForALease() {
        RateLimiter busy = limiter(Limit.concurrency(3));
        RateLimiter chain = RateLimiter.chain(limiter(Limit.of(9, SECOND)), busy);
        busy.tryAcquire(1);
        assertThat(busy.acquire(3)).isNotDone();
        assertThat(chain.acquire(2)).isNotDone();
        assertThat(refusedAsExhausted(chain, 1).retryAfter()).isEmpty();
    }

    @Test
    @DisplayName("younger requests at another member do not count")
    void youngerOnesElsewhere() {
        RateLimiter here = limiter(Limit.of(3, SECOND));
        RateLimiter elsewhere = limiter(Limit.tokenBucket(9, 1, SECOND.multipliedBy(9)));
        RateLimiter chain = RateLimiter.chain(here, elsewhere);
        chain.tryAcquire(1);
        CompletableFuture<Lease> first = chain.acquire(3);
        time.advanceBy(1);
        assertThat(elsewhere.acquire(9)).isNotDone();
        assertThat(refusedAsExhausted(chain, 1).retryAfter()).contains(SECOND.minusNanos(1));
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(first).isCompleted();
    }

    @Test
    @DisplayName("a charge that makes the first wait for longer counts at once")
    void charged() {
        RateLimiter limiter = limiter(Limit.tokenBucket(5, 1, SECOND));
        limiter.tryAcquire(3);
        assertThat(limiter.acquire(5)).isNotDone();
        assertThat(refusedAsExhausted(limiter, 1).retryAfter()).contains(SECOND.multipliedBy(3));
        limiter.charge(1);
        assertThat(refusedAsExhausted(limiter, 1).retryAfter()).contains(SECOND.multipliedBy(4));
    }
}
