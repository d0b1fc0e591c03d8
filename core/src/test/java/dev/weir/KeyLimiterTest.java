package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The limiter of a key in all its ways, and what becomes of keys when there is no more room. */
class KeyLimiterTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-3);
    private final List<Lease> answers = new ArrayList<>();

    private PartitionedRateLimiter.Builder<Integer> builder(Function<Integer, Limit> limitOf) {
        return PartitionedRateLimiter.builder(limitOf).timeSource(time);
    }

    @Test
    @DisplayName("limiters of the same key are equal")
    void equality() {
        PartitionedRateLimiter<Integer> limiters =
                builder(key -> Limit.of(3, PERIOD)).build();
        assertThat(limiters.forKey(1)).isEqualTo(limiters.forKey(1)).hasSameHashCodeAs(limiters.forKey(1));
        assertThat(limiters.forKey(1)).isNotEqualTo(limiters.forKey(2)).isNotEqualTo(null);
        assertThat(limiters.forKey(1))
                .isNotEqualTo(builder(key -> Limit.of(3, PERIOD)).build().forKey(1));
    }

    @Test
    @DisplayName("a key's limiter can be asked in every way that a limiter can")
    void everyWay() {
        RateLimiter limiter = builder(key -> Limit.of(3, PERIOD)).build().forKey(1);
        assertThat(limiter.idleDuration()).contains(Duration.ZERO);
        assertThat(limiter.tryConsume(2)).isTrue();
        assertThat(limiter.tryConsume(2)).isFalse();
        assertThat(limiter.acquire(1, answers::add).isSettled()).isTrue();
        assertThat(limiter.statistics()).isEqualTo(new RateLimiterStatistics(0, 0, 2, 0));
        assertThat(limiter.idleDuration()).isEmpty();
        PermitRequest impatient = limiter.acquire(1, PERIOD.minusNanos(1), answers::add);
        PermitRequest patient = limiter.acquire(1, PERIOD, answers::add);
        assertThat(impatient.isSettled()).isTrue();
        assertThat(answers.get(1).reason()).contains(RefusalReason.MAX_WAIT);
        assertThat(patient.isSettled()).isFalse();
        time.advanceBy(PERIOD);
        assertThat(answers.get(2).isAcquired()).isTrue();
        time.advanceBy(PERIOD.multipliedBy(3));
        assertThat(limiter.idleDuration()).contains(PERIOD.multipliedBy(2));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryConsume(4));
    }

    @Test
    @DisplayName("the bound of waits holds for each key")
    void maxWait() {
        PartitionedRateLimiter<Integer> table =
                builder(key -> Limit.of(1, PERIOD)).maxWait(PERIOD).build();
        for (int key = 0; key < 2; key++) {
            table.tryAcquire(key, 1);
            CompletableFuture<Lease> waits = table.acquire(key, 1);
            assertThat(table.acquire(key, 1).join().reason()).contains(RefusalReason.MAX_WAIT);
            assertThat(waits).isNotDone();
        }
    }

    @Test
    @DisplayName("a key without room answers every way of asking at once, and tells when there will be room")
    void withoutRoom() {
        PartitionedRateLimiter<Integer> table =
                builder(key -> Limit.tokenBucket(2, 1, PERIOD)).maximumKeys(1).build();
        table.tryAcquire(1, 2);
        RateLimiter other = table.forKey(2);
        PermitRequest request = other.acquire(1, answers::add);
        assertThat(request.isSettled()).isTrue();
        assertThat(request.cancel()).isFalse();
        assertThat(answers.get(0).retryAfter()).contains(PERIOD.multipliedBy(2));
        assertThat(other.tryConsume(1)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> other.tryConsume(3));
        time.advanceBy(PERIOD.multipliedBy(2));
        assertThat(other.tryConsume(2)).isTrue();
    }

    @Test
    @DisplayName("a key without room is neither paused nor changed, and neither is the limiter that it shares")
    void changesNothing() {
        PartitionedRateLimiter<Integer> table = builder(key -> Limit.of(1, PERIOD))
                .maximumKeys(1)
                .overflowTo(Limit.of(3, PERIOD))
                .build();
        table.tryAcquire(1, 1);
        RateLimiter other = table.forKey(2);
        other.pauseFor(PERIOD);
        other.reconfigure(Limit.of(2, PERIOD));
        assertThat(other.tryAcquire(3).isAcquired()).isTrue();
        assertThat(other.tryAcquire().isAcquired()).isFalse();
    }

    @Test
    @DisplayName("a key without room names no time if its permits will have to be waited for, too")
    void waitsForBoth() {
        PartitionedRateLimiter<Integer> table = builder(key -> key == 1
                        ? Limit.of(1, PERIOD)
                        : Limit.tokenBucket(1, 1, PERIOD.multipliedBy(2)).startingWith(0))
                .maximumKeys(1)
                .build();
        table.tryAcquire(1, 1);
        assertThat(table.tryAcquire(2, 1).retryAfter()).isEmpty();
        time.advanceBy(PERIOD);
        assertThat(table.tryAcquire(2, 1).retryAfter()).contains(PERIOD.multipliedBy(2));
        time.advanceBy(PERIOD.multipliedBy(2));
        assertThat(table.tryAcquire(2, 1).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a key without room names no time if only a lease that is closed makes room")
    void noTimeToTell() {
        PartitionedRateLimiter<Integer> table = builder(
                        key -> key == 1 ? Limit.concurrency(1) : Limit.tokenBucket(1, 1, PERIOD))
                .maximumKeys(1)
                .build();
        Lease out = table.tryAcquire(1, 1);
        assertThat(table.tryAcquire(2, 1).retryAfter()).isEmpty();
        out.close();
        assertThat(table.tryAcquire(2, 1).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a key without room names no time of a key that keeps its place, being changed or closed")
    void neverForgotten() {
        List<Consumer<RateLimiter>> uses = List.of(key -> key.reconfigure(Limit.of(2, PERIOD)), RateLimiter::close);
        for (Consumer<RateLimiter> use : uses) {
            PartitionedRateLimiter<Integer> table = builder(
                            key -> Limit.of(1, key == 1 ? PERIOD : PERIOD.multipliedBy(10)))
                    .maximumKeys(2)
                    .build();
            RateLimiter kept = table.forKey(1);
            kept.tryAcquire();
            table.tryAcquire(2, 1);
            use.accept(kept);
            Lease refused = table.tryAcquire(3, 1);
            assertThat(refused.retryAfter()).contains(PERIOD.multipliedBy(10));
            time.advanceBy(PERIOD.multipliedBy(10));
            assertThat(table.tryAcquire(3, 1).isAcquired()).isTrue();
            use.accept(table.forKey(3));
            assertThat(table.tryAcquire(4, 1).retryAfter()).as("all are kept").isEmpty();
        }
    }

    @Test
    @DisplayName("a key without room waits for one that is forgotten, not for one that starts part full")
    void neverFullAtFirst() {
        PartitionedRateLimiter<Integer> table = builder(key -> key == 1
                        ? Limit.tokenBucket(1, 1, PERIOD).startingWith(0)
                        : Limit.of(1, PERIOD.multipliedBy(10)))
                .maximumKeys(2)
                .build();
        table.tryAcquire(1, 1);
        table.tryAcquire(2, 1);
        assertThat(table.tryAcquire(3, 1).retryAfter()).contains(PERIOD.multipliedBy(10));
    }

    @Test
    @DisplayName("a key that was told when there is room finds it then, however many keys there are")
    void roomWhenTold() {
        for (int keys = 3; keys < 3_000; keys = 2 * keys + 1) {
            PartitionedRateLimiter<Integer> table =
                    builder(key -> Limit.of(1, PERIOD)).maximumKeys(keys).build();
            for (int key = 0; key < keys; key++) {
                table.tryAcquire(7_919 * key % keys, 1);
                time.advanceBy(1000);
            }
            Duration wait = table.tryAcquire(keys, 1).retryAfter().orElseThrow();
            time.advanceBy(wait);
            assertThat(table.tryAcquire(keys, 1).isAcquired())
                    .as("%s keys", keys)
                    .isTrue();
        }
    }

    @Test
    @DisplayName("calls for a key that is known, not by its limiter, forget others as well")
    void knownKeysForgetOthers() {
        PartitionTable<Integer> table =
                (PartitionTable<Integer>) builder(key -> Limit.of(1, PERIOD)).build();
        for (int key = 0; key < 10_000; key++) {
            table.tryAcquire(key, 1);
        }
        time.advanceBy(PERIOD);
        for (int call = 0; call < 10_000; call++) {
            table.tryAcquire(0, 1);
        }
        assertThat(table.keptKeys()).isLessThan(1_000);
    }

    @Test
    @DisplayName("a limit function that fills the table leaves no room for the key it is asked about")
    void filledMeanwhile() {
        for (boolean shares : new boolean[] {false, true}) {
            List<PartitionedRateLimiter<Integer>> own = new ArrayList<>();
            PartitionedRateLimiter.Builder<Integer> builder = builder(key -> {
                        if (key == 1) {
                            own.get(0).tryAcquire(2, 1);
                        }
                        return Limit.of(1, PERIOD);
                    })
                    .maximumKeys(1);
            PartitionedRateLimiter<Integer> table =
                    shares ? builder.overflowTo(Limit.of(9, PERIOD)).build() : builder.build();
            own.add(table);
            assertThat(table.tryAcquire(1, 1).isAcquired()).isEqualTo(shares);
            assertThat(table.keyCount()).isEqualTo(1);
            assertThat(table.tryAcquire(2, 1).isAcquired()).isFalse();
        }
    }

    @Test
    @DisplayName("closing all keys ends what further keys share, and handles say whose they are")
    void closed() {
        PartitionedRateLimiter<Integer> table = builder(key -> Limit.of(1, PERIOD))
                .name("users")
                .maximumKeys(1)
                .overflowTo(Limit.of(1, PERIOD))
                .build();
        RateLimiter own = table.forKey(1);
        own.tryAcquire();
        table.tryAcquire(2, 1);
        CompletableFuture<Lease> shared = table.acquire(3, 1);
        table.close();
        assertThat(shared.join().reason()).contains(RefusalReason.CLOSED);
        assertThatIllegalStateException()
                .isThrownBy(own::tryAcquire)
                .withMessage("Partitioned rate limiter 'users' is closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> own.tryConsume(1))
                .withMessage("Partitioned rate limiter 'users' is closed");
    }

    @Test
    @DisplayName("closing the limiter of a key while all are being closed does no more than that")
    void closedMeanwhile() {
        for (int round = 0; round < 2_000; round++) { // one call in some looks for keys to forget
            List<PartitionTable<Integer>> tables = new ArrayList<>();
            PartitionTable<Integer> table = (PartitionTable<Integer>) builder(key -> Limit.of(1, PERIOD))
                    .timeSource(new DelegatingTime(time) {
                        @Override
                        public long nanoTime() {
                            tables.stream().filter(full -> full.keptKeys() < 2).forEach(PartitionTable::close);
                            return super.nanoTime();
                        }
                    })
                    .build();
            RateLimiter first = table.forKey(1);
            first.tryAcquire();
            table.tryAcquire(2, 1);
            time.advanceBy(PERIOD);
            tables.add(table);
            first.close();
            assertThatIllegalStateException().isThrownBy(first::tryAcquire);
        }
    }

    @Test
    @DisplayName("arguments are checked whether or not there is room for the key")
    void argumentsWithoutRoom() {
        PartitionedRateLimiter<Integer> table =
                builder(key -> Limit.of(2, PERIOD)).maximumKeys(1).build();
        table.tryAcquire(1, 1);
        for (RateLimiter limiter : List.of(table.forKey(1), table.forKey(2))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.charge(-1))
                    .withMessageContaining("must not be negative, but is -1");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.pauseFor(Duration.ofNanos(-1)))
                    .withMessageContaining("duration must not be negative");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.acquire(1, Duration.ofNanos(-1), answers::add))
                    .withMessageContaining("maxWait must not be negative");
        }
        assertThat(answers).isEmpty();
    }

    @Test
    @DisplayName("a charge to a key that was forgotten asks for its limit once")
    void chargeAsksOnce() {
        List<Integer> asked = new ArrayList<>();
        PartitionedRateLimiter<Integer> table = builder(key -> {
                    asked.add(key);
                    return Limit.of(2, PERIOD);
                })
                .build();
        RateLimiter limiter = table.forKey(1);
        assertThat(table.keyCount()).isZero();
        asked.clear();
        limiter.charge(2);
        limiter.charge(0);
        assertThat(asked).containsExactly(1);
        assertThat(limiter.availablePermits()).isZero();
    }
}
