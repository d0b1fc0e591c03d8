package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a chain says to whom it refuses: who refused, why, and when to come back. */
class ChainRefusalsTest extends ChainOfTwo {

    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    @DisplayName("a refusal says who refused and when to come back, and is counted")
    void refusal() {
        chain.tryAcquire(3);
        Lease refused = chain.tryAcquire(2);
        assertThat(refused.isAcquired()).isFalse();
        assertThat(refused.permits()).isEqualTo(2);
        assertThat(refused.refusedBy()).contains("narrow");
        assertThat(refused.reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(refused.retryAfter()).contains(SECOND.multipliedBy(2));
        assertThat(refused.cause()).isEmpty();
        assertThat(chain.statistics()).isEqualTo(new RateLimiterStatistics(0, 0, 1, 1));
        assertThat(wide.availablePermits()).isEqualTo(6);
    }

    @Test
    @DisplayName("a refusal says by its place which one refused, whatever their names and whatever they consist of")
    void refusedAt() {
        RateLimiter twin = limiter("narrow", narrow.limit());
        RateLimiter nested = RateLimiter.chain(limiter("first", Limit.of(9, SECOND)), twin);
        RateLimiter both = RateLimiter.chain(narrow, nested);
        assertThat(both.tryAcquire(2).refusedAt()).isEmpty();
        twin.charge(1);

        Lease refused = both.tryAcquire(1);
        assertThat(refused.refusedBy()).contains("narrow");
        assertThat(refused.refusedAt()).hasValue(1);
        List<Lease> answers = new ArrayList<>();
        both.acquire(1, Duration.ofMillis(1), answers::add);
        assertThat(answers.get(0).refusedAt()).as("no wait is short enough").hasValue(1);
        assertThat(narrow.tryAcquire().refusedAt()).as("no chain").isEmpty();

        both.pauseFor(SECOND);
        assertThat(both.tryAcquire(1).refusedAt()).as("the chain itself").isEmpty();
    }

    @Test
    @DisplayName("a request whose bound is over is refused by the member at which its chain waits")
    void waitedAt() {
        RateLimiter room = limiter("room", Limit.concurrency(1));
        RateLimiter through = RateLimiter.chain(wide, room);
        assertThat(through.tryAcquire().isAcquired()).isTrue();
        List<Lease> answers = new ArrayList<>();
        through.acquire(1, SECOND, answers::add);
        through.acquire(1, SECOND, answers::add);

        time.advanceBy(SECOND);

        assertThat(answers).hasSize(2).allSatisfy(refused -> {
            assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
            assertThat(refused.refusedBy()).contains("room");
            assertThat(refused.refusedAt()).hasValue(1);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a waiting request that has become too large was refused by the member whose limit has become smaller")
    void tooLargeFor(boolean behindAnother) {
        chain.tryAcquire(3);
        if (behindAnother) {
            chain.acquire(1, ignored -> {});
        }
        CompletableFuture<Lease> tooLarge = chain.acquire(3);
        narrow.reconfigure(Limit.tokenBucket(2, 1, SECOND));
        time.advanceBy(SECOND.multipliedBy(3));
        assertThat(tooLarge).isDone();
        Lease refused = tooLarge.join();
        assertThat(refused.reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(refused.retryAfter()).isEmpty();
        assertThat(refused.refusedBy()).contains("narrow");
        assertThat(refused.refusedAt()).hasValue(1);
    }

    @Test
    @DisplayName("a refusal names the time of the member that refused, whatever the others gave back")
    void retryOnceAllIsBack() {
        for (Limit untouched : List.of(Limit.of(1, SECOND.multipliedBy(60)), Limit.concurrency(1))) {
            RateLimiter exhausted = limiter("exhausted", Limit.of(1, SECOND));
            exhausted.tryAcquire();
            RateLimiter both = RateLimiter.chain(limiter("untouched", untouched), exhausted);
            assertThat(both.tryAcquire(1).retryAfter()).contains(SECOND);
            time.advanceBy(SECOND.minusNanos(1));
            assertThat(both.tryAcquire(1).isAcquired()).isFalse();
            time.advanceBy(1);
            assertThat(both.tryAcquire(1).isAcquired()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a member that waits for leases to be closed does not hide the time of the one that refused")
    void retryBesideAFullRoom(boolean nested) {
        RateLimiter hourly = limiter("hourly", Limit.of(1, HOUR));
        RateLimiter room = limiter("room", Limit.concurrency(1));
        hourly.tryAcquire();
        room.tryAcquire();
        RateLimiter both = RateLimiter.chain(hourly, nested ? RateLimiter.chain(narrow, room) : room);
        assertThat(both.tryAcquire().retryAfter()).contains(HOUR);
        assertThat(askWithin(both, 1, SECOND).retryAfter()).contains(HOUR);
        both.acquire(1, ignored -> {});
        assertThat(askWithin(both, 1, SECOND).retryAfter()).as("behind another").contains(HOUR);
    }

    @Test
    @DisplayName("a member that waits for leases to be closed tells no time, whatever the others would tell")
    void noRetryFromAFullRoom() {
        RateLimiter room = limiter("room", Limit.concurrency(1));
        room.tryAcquire();
        narrow.tryAcquire(3);
        RateLimiter both = RateLimiter.chain(room, narrow);
        assertThat(both.tryAcquire().retryAfter()).isEmpty();
        List<Lease> answers = new ArrayList<>();
        both.acquire(1, SECOND.multipliedBy(2), answers::add);
        both.acquire(1, SECOND.multipliedBy(2), answers::add);
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(answers).hasSize(2).allSatisfy(refused -> {
            assertThat(refused.refusedBy()).contains("room");
            assertThat(refused.retryAfter()).isEmpty();
        });
    }

    @Test
    @DisplayName("a request behind a waiting one is refused until that is due, unless it only probes")
    void behindOneWhoWaits() {
        chain.tryAcquire(2);
        CompletableFuture<Lease> waiting = chain.acquire(2);
        Lease behind = chain.tryAcquire(1);
        assertThat(behind.reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(behind.retryAfter()).isPresent();
        assertThat(chain.tryAcquire(0).isAcquired()).isTrue();
        assertThat(chain.statistics()).isEqualTo(new RateLimiterStatistics(1, 2, 2, 1));
        time.advanceBy(SECOND);
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(chain.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName(
            "an answer says who decided and what was the matter: the member that refused, or the one furthest away")
    void whoDecided() {
        Throwable reset = new IllegalStateException("reset");
        Elsewhere policy = new Elsewhere();
        RateLimiter remote = RateLimiter.builder(Limit.of(5, SECOND))
                .name("remote")
                .policies((limit, key, now) -> policy)
                .timeSource(time)
                .build();
        RateLimiter mixed = RateLimiter.chain(wide, remote);
        assertThat(chain.tryAcquire(1).source()).isEqualTo(DecisionSource.LOCAL);
        assertThat(mixed.tryAcquire(1).source()).isEqualTo(DecisionSource.REMOTE);
        policy.trouble = reset;
        Lease refused = mixed.tryAcquire(1);
        assertThat(refused.reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(refused.source()).isEqualTo(DecisionSource.FALLBACK);
        assertThat(refused.cause()).contains(reset);
        assertThat(refused.retryAfter()).isEmpty();
        assertThat(refused.refusedBy()).contains("remote");
    }

    /** Has a permit for everybody, unless it is in trouble. */
    private static final class Elsewhere extends StatelessPolicy {

        @Nullable
        Throwable trouble;

        @Override
        public long tryTake(int permits, long nowNanos) {
            return trouble == null ? TAKEN : AWAIT_SIGNAL;
        }

        @Override
        public @Nullable Throwable failure(long nowNanos) {
            return trouble;
        }

        @Override
        public DecisionSource source(long nowNanos) {
            return trouble == null ? DecisionSource.REMOTE : DecisionSource.FALLBACK;
        }

        @Override
        public long available(long nowNanos) {
            return trouble == null ? 5 : 0;
        }
    }

    /** Two keys, alone or in a chain of their own, that share a bucket of five permits, of which none is left. */
    private RateLimiter keysThatShare(boolean nested) {
        PartitionedRateLimiter<Integer> keys = PartitionedRateLimiter.<Integer>builder(key -> Limit.of(5, SECOND))
                .timeSource(time)
                .maximumKeys(1)
                .overflowTo(Limit.tokenBucket(5, 5, SECOND))
                .build();
        assertThat(keys.tryAcquire(9, 1).isAcquired()).isTrue();
        assertThat(keys.tryAcquire(8, 5).isAcquired()).isTrue();
        RateLimiter second = nested ? RateLimiter.chain(wide, keys.forKey(2)) : keys.forKey(2);
        return RateLimiter.chain(keys.forKey(1), second);
    }

    private Lease askWithin(RateLimiter limiter, int permits, Duration maxWait) {
        List<Lease> answers = new ArrayList<>();
        limiter.acquire(permits, maxWait, answers::add);
        assertThat(answers).hasSize(1);
        return answers.get(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("keys that share a limiter are told when it has enough for all of them, however they ask")
    void retryOnceThereIsEnoughForEach(boolean nested) {
        RateLimiter both = keysThatShare(nested);
        Duration refill = Duration.ofMillis(800);
        assertThat(both.tryAcquire(2).retryAfter()).contains(refill);
        assertThat(askWithin(both, 2, Duration.ofMillis(1)).retryAfter()).contains(refill);
        time.advanceBy(refill.minusNanos(1));
        assertThat(both.tryAcquire(2).retryAfter()).contains(Duration.ofNanos(1));
        time.advanceBy(1);
        assertThat(both.tryAcquire(2).isAcquired()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("keys that share a limiter which has enough for one of them: the member refuses that had too few, "
            + "also one who comes later")
    void waitedForOneMore(boolean nested) {
        RateLimiter both = keysThatShare(nested);
        time.advanceBy(Duration.ofMillis(200));
        for (int asked = 0; asked < 2; asked++) {
            Lease refused = askWithin(both, 1, Duration.ofMillis(1));
            assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
            assertThat(refused.refusedAt()).hasValue(1);
            both.acquire(1, ignored -> {});
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a probe of keys that share a limiter needs one permit of it, and is told when that is there")
    void retryOfProbe(boolean nested) {
        RateLimiter both = keysThatShare(nested);
        Duration refill = Duration.ofMillis(200);
        assertThat(both.tryAcquire(0).retryAfter()).contains(refill);
        time.advanceBy(refill.minusNanos(1));
        assertThat(both.tryAcquire(0).retryAfter()).contains(Duration.ofNanos(1));
        time.advanceBy(1);
        assertThat(both.tryAcquire(0).isAcquired()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("keys that share a limiter which never has enough for all of them are told no time")
    void noRetryWithoutEnoughForEach(boolean nested) {
        RateLimiter both = keysThatShare(nested);
        assertThat(both.tryAcquire(3).retryAfter()).isEmpty();
        assertThat(askWithin(both, 3, Duration.ofMillis(1)).retryAfter()).isEmpty();
        time.advanceBy(SECOND.dividedBy(2));
        assertThat(both.tryAcquire(3).retryAfter()).isEmpty();
        assertThat(askWithin(both, 3, Duration.ofMillis(1)).retryAfter()).isEmpty();
    }
}
