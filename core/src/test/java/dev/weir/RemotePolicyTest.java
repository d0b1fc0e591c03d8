package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.WaitingRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the engine does for a policy whose permits are kept elsewhere. */
class RemotePolicyTest {

    private final SteppedTime time = new SteppedTime(0);
    private final List<Elsewhere> made = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();

    private RateLimiter limiter(QueueOrder order) {
        return RateLimiter.builder(Limit.fixedWindow(5, Duration.ofSeconds(1)))
                .policies((limit, key, now) -> elsewhere(key))
                .queueOrder(order)
                .timeSource(time)
                .observer(new RateLimiterObserver() {
                    @Override
                    public void onAcquired(int permits, long waitedNanos, DecisionSource source) {
                        heard.add("acquired " + permits + " " + source);
                    }

                    @Override
                    public void onRefused(int permits, RefusalReason reason, DecisionSource source) {
                        heard.add("refused " + permits + " " + reason + " " + source);
                    }
                })
                .build();
    }

    private Elsewhere elsewhere(@Nullable Object key) {
        Elsewhere policy = new Elsewhere(key);
        made.add(policy);
        return policy;
    }

    @Test
    @DisplayName("the first of those who wait is asked for with the sum of all, and a signal serves them")
    void theFirstIsAskedForWithTheSumOfAll() {
        RateLimiter limiter = limiter(QueueOrder.OLDEST_FIRST);
        CompletableFuture<Lease> first = limiter.acquire(2);
        CompletableFuture<Lease> second = limiter.acquire(3);
        Elsewhere policy = made.get(0);
        assertThat(policy.asked).containsSubsequence("2 of 2", "2 of 5");
        policy.hand = 5;
        Objects.requireNonNull(policy.drain).run();
        assertThat(first.join().isAcquired()).isTrue();
        assertThat(second.join().source()).isEqualTo(DecisionSource.REMOTE);
        assertThat(policy.asked).endsWith("2 of 5", "3 of 3");
        assertThat(heard).containsExactly("acquired 2 REMOTE", "acquired 3 REMOTE");
        assertThat(policy.stoodBack).isTrue();
    }

    @Test
    @DisplayName("whoever asks for the first sees how much each of those behind needs, in their order")
    void eachIsSeen() {
        RateLimiter limiter = limiter(QueueOrder.OLDEST_FIRST);
        for (int permits : new int[] {2, 3, 1, 4}) {
            CompletableFuture<Lease> waiting = limiter.acquire(permits);
            assertThat(waiting).isNotDone();
        }
        Elsewhere policy = made.get(0);
        Objects.requireNonNull(policy.drain).run();
        assertThat(policy.seen).containsExactly(2, 3, 1, 4);
        policy.hand = 2;
        policy.drain.run();
        assertThat(policy.seen).containsExactly(3, 1, 4);
    }

    @Test
    @DisplayName("newest first nothing is arranged for anybody")
    void newestFirstNothingIsArranged() {
        RateLimiter limiter = limiter(QueueOrder.NEWEST_FIRST);
        var unused = limiter.acquire(2);
        assertThat(made.get(0).asked).isNotEmpty().allMatch(asked -> asked.equals("2"));
    }

    @Test
    @DisplayName("in trouble nobody waits, whoever asks in whatever way")
    void inTroubleNobodyWaits() {
        RateLimiter limiter = limiter(QueueOrder.OLDEST_FIRST);
        CompletableFuture<Lease> waiting = limiter.acquire(2);
        CompletableFuture<Lease> probing = limiter.acquire(0);
        IOException reset = new IOException("reset");
        made.get(0).trouble = reset;
        Objects.requireNonNull(made.get(0).drain).run();
        List<Lease> refused = List.of(
                waiting.join(),
                probing.join(),
                limiter.tryAcquire(1),
                limiter.acquire(1).join());
        assertThat(refused).allSatisfy(lease -> {
            assertThat(lease.reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
            assertThat(lease.cause()).contains(reset);
            assertThat(lease.source()).isEqualTo(DecisionSource.FALLBACK);
        });
        assertThat(heard).hasSize(4).allMatch(told -> told.endsWith("BACKEND_UNAVAILABLE FALLBACK"));
    }

    @Test
    @DisplayName("a request refused by a policy that fails to name a time is told none")
    void noTimeFromABrokenPolicy() {
        RateLimiter limiter = limiter(QueueOrder.OLDEST_FIRST);
        CompletableFuture<Lease> waiting = limiter.acquire(2);
        made.get(0).trouble = new IOException("reset");
        made.get(0).broken = true;
        Objects.requireNonNull(made.get(0).drain).run();
        assertThat(waiting.join().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(waiting.join().retryAfter()).isEmpty();
    }

    @Test
    @DisplayName("a key has a policy of its own, told its key")
    void aKeyHasAPolicyOfItsOwn() {
        PartitionedRateLimiter<String> limiters = PartitionedRateLimiter.<String>builder(
                        key -> Limit.fixedWindow(5, Duration.ofSeconds(1)))
                .policies((limit, key, now) -> elsewhere(key))
                .timeSource(time)
                .build();
        assertThat(limiters.tryAcquire("mine", 1).source()).isEqualTo(DecisionSource.REMOTE);
        assertThat(limiters.forKey("mine").limit()).isEqualTo(Limit.fixedWindow(5, Duration.ofSeconds(1)));
        assertThat(made).extracting(policy -> policy.key).contains("mine");
    }

    @Test
    @DisplayName("a key is not forgotten by the very call that asks for it: what a policy then asked for would be lost")
    void aKeyIsNotForgottenByTheCallThatAsks() {
        PartitionedRateLimiter<Integer> limiters = PartitionedRateLimiter.<Integer>builder(
                        key -> Limit.fixedWindow(5, Duration.ofSeconds(1)))
                .policies((limit, key, now) -> elsewhere(key))
                .timeSource(time)
                .build();
        for (int key = 0; key < 500; key++) {
            RateLimiter limiter = limiters.forKey(key);
            var unused = limiter.acquire(1);
        }
        assertThat(made)
                .filteredOn(policy -> !policy.asked.isEmpty())
                .extracting(policy -> policy.key)
                .doesNotHaveDuplicates()
                .hasSize(500);
    }

    private int charged() {
        return made.stream().mapToInt(policy -> policy.charged).sum();
    }

    @Test
    @DisplayName("a late settlement is charged once, whenever the key was forgotten")
    void chargedOnce() {
        PartitionedRateLimiter<String> limiters = PartitionedRateLimiter.<String>builder(
                        key -> Limit.fixedWindow(5, Duration.ofSeconds(1)))
                .policies((limit, key, now) -> {
                    Elsewhere policy = elsewhere(key);
                    policy.hand = 1; // also where the key is forgotten between the calls, as any of them may do
                    return policy;
                })
                .timeSource(time)
                .build();
        RateLimiter limiter = limiters.forKey("mine");
        Lease estimate = limiter.tryAcquire();
        assertThat(estimate.isAcquired()).isTrue();
        assertThat(limiters.keyCount()).isZero();
        estimate.settle(3);
        assertThat(charged()).isEqualTo(2);

        Lease unused = limiter.tryAcquire();
        made.forEach(policy -> policy.whileCharged = limiters::keyCount);
        limiter.charge(4);
        assertThat(charged()).isEqualTo(6);
    }

    /** Has what it is given, and says what it was asked. */
    private static final class Elsewhere extends StatelessPolicy {

        final @Nullable Object key;
        final List<String> asked = new ArrayList<>();

        /** The requests that waited when it was last asked for the first. */
        final List<Integer> seen = new ArrayList<>();

        int hand;
        boolean stoodBack;
        boolean broken;
        int charged;
        Runnable whileCharged = () -> {};

        @Nullable
        Runnable drain;

        @Nullable
        Throwable trouble;

        Elsewhere(@Nullable Object key) {
            this.key = key;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            asked.add("" + permits);
            return take(permits);
        }

        @Override
        public long tryTakeFirst(WaitingRequest first, long waiting, long longestNanos, long nowNanos) {
            asked.add(first.permits() + " of " + waiting);
            seen.clear();
            for (WaitingRequest request = first; request != null; request = request.next()) {
                seen.add(request.permits());
            }
            return take(first.permits());
        }

        private long take(int permits) {
            if (hand < Math.max(1, permits)) {
                return AWAIT_SIGNAL;
            }
            hand -= permits;
            return TAKEN;
        }

        @Override
        public void cancelReservations() {
            stoodBack = true;
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
        public void signalTo(Runnable toCall) {
            drain = toCall;
        }

        @Override
        public void charge(int permits, long nowNanos) {
            charged += permits;
            whileCharged.run();
        }

        @Override
        public long available(long nowNanos) {
            return hand;
        }

        @Override
        public long nanosUntil(long ahead, int permits, long nowNanos) {
            if (broken) {
                throw new IllegalStateException("on purpose");
            }
            return super.nanosUntil(ahead, permits, nowNanos);
        }
    }
}
