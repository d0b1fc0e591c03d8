package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PartitionedRateLimiterTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(Long.MAX_VALUE - 5);

    private PartitionedRateLimiter.Builder<String> builder(Limit limit) {
        return PartitionedRateLimiter.<String>builder(key -> limit).timeSource(time);
    }

    @Test
    @DisplayName("each key has its own limit, as the function gives it")
    void eachKeyHasItsOwnLimit() {
        PartitionedRateLimiter<Integer> table = PartitionedRateLimiter.<Integer>builder(key -> Limit.of(key, PERIOD))
                .timeSource(time)
                .name("by size")
                .build();
        for (int key = 1; key <= 100; key++) {
            assertThat(table.tryAcquire(key, key).isAcquired()).isTrue();
            assertThat(table.tryAcquire(key, 1).isAcquired()).isFalse();
            assertThat(table.forKey(key).limit()).isEqualTo(Limit.of(key, PERIOD));
            assertThat(table.forKey(key).name()).isEqualTo("by size");
        }
        assertThat(table.keyCount()).isEqualTo(100);
    }

    @Test
    @DisplayName("a request waits for its key in turn, and delays no other key")
    void waitersOfAKey() {
        PartitionedRateLimiter<String> table = builder(Limit.of(1, PERIOD)).build();
        CompletableFuture<Lease> first = table.acquire("a", 1);
        CompletableFuture<Lease> second = table.acquire("a", 1);
        CompletableFuture<Lease> third = table.acquire("a", 1);
        CompletableFuture<Lease> other = table.acquire("b", 1);
        assertThat(List.of(first.isDone(), second.isDone(), third.isDone(), other.isDone()))
                .containsExactly(true, false, false, true);
        time.advanceBy(PERIOD);
        assertThat(second).isDone();
        assertThat(third).isNotDone();
        assertThat(third.cancel(false)).isTrue();
        time.advanceBy(PERIOD);
        assertThat(table.keyCount()).isZero();
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("settings hold for each key on its own")
    void settingsHoldForEachKey() {
        List<String> seen = new ArrayList<>();
        PartitionedRateLimiter<String> table = builder(Limit.of(1, PERIOD))
                .queueLimit(1)
                .queueOrder(QueueOrder.NEWEST_FIRST)
                .maxWait(PERIOD)
                .observer(new RateLimiterObserver() {
                    @Override
                    public void onRefused(int permits, RefusalReason reason) {
                        seen.add(reason.name());
                    }
                })
                .build();
        for (String key : List.of("a", "b")) {
            table.tryAcquire(key, 1);
            CompletableFuture<Lease> evicted = table.acquire(key, 1);
            CompletableFuture<Lease> waits = table.acquire(key, 1);
            assertThat(evicted.join().reason()).contains(RefusalReason.EVICTED);
            assertThat(waits).isNotDone();
        }
        assertThat(seen).containsExactly("EVICTED", "EVICTED");
    }

    @Test
    @DisplayName("beyond the maximum further keys are refused, told when to retry, and then succeed")
    void refusesBeyondMaximum() {
        PartitionedRateLimiter<String> table =
                builder(Limit.of(2, PERIOD)).maximumKeys(3).name("few").build();
        for (String key : List.of("a", "b", "c")) {
            assertThat(table.tryAcquire(key, 1).isAcquired()).isTrue();
            time.advanceBy(Duration.ofMillis(100));
        }
        RateLimiter further = table.forKey("d");
        Lease refused = further.tryAcquire();
        assertThat(refused.reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(refused.retryAfter()).contains(Duration.ofMillis(700));
        assertThat(refused.refusedBy()).contains("few");
        assertThat(table.acquire("d", 1).join().retryAfter()).contains(Duration.ofMillis(700));
        assertThat(further.tryConsume(1)).isFalse();
        further.charge(1);
        further.close();
        further.pauseFor(PERIOD);
        assertThatIllegalArgumentException().isThrownBy(() -> table.tryAcquire("d", 3));

        time.advanceBy(Duration.ofMillis(700).toNanos() - 1);
        assertThat(further.tryAcquire().isAcquired()).isFalse();
        time.advanceBy(1);
        assertThat(further.tryAcquire().isAcquired()).isTrue();
        assertThat(table.tryAcquire("a", 1).isAcquired())
                .as("the place is taken")
                .isFalse();
        assertThat(table.keyCount()).isEqualTo(3);
    }

    @Test
    @DisplayName("a flood of new keys gives nobody a fresh bucket and costs no memory")
    void floodOfNewKeys() {
        PartitionTable<Integer> table =
                (PartitionTable<Integer>) PartitionedRateLimiter.<Integer>builder(key -> Limit.of(1, PERIOD))
                        .timeSource(time)
                        .maximumKeys(1_000)
                        .build();
        int granted = 0;
        assertThat(table.tryAcquire(-1, 1).isAcquired()).isTrue();
        for (int key = 0; key < 50_000; key++) {
            granted += table.tryAcquire(key, 1).isAcquired() ? 1 : 0;
            assertThat(table.keptKeys()).isLessThanOrEqualTo(1_000);
            assertThat(table.tryAcquire(-1, 1).isAcquired()).isFalse();
        }
        assertThat(granted).isEqualTo(999);
        time.advanceBy(PERIOD);
        for (int key = 0; key < 50_000; key++) {
            granted += table.tryAcquire(key, 1).isAcquired() ? 1 : 0;
            assertThat(table.keptKeys()).isLessThanOrEqualTo(1_000);
        }
        assertThat(granted).isEqualTo(1_999);
    }

    @Test
    @DisplayName("further keys share one limiter, if told to, which one of them can neither close nor pause")
    void sharesOverflow() {
        PartitionedRateLimiter<String> table = builder(Limit.of(1, PERIOD))
                .maximumKeys(1)
                .overflowTo(Limit.of(2, PERIOD.multipliedBy(2)))
                .build();
        assertThat(table.tryAcquire("a", 1).isAcquired()).isTrue();
        RateLimiter b = table.forKey("b");
        b.pauseFor(PERIOD);
        b.close();
        assertThat(b.limit()).isEqualTo(Limit.of(2, PERIOD.multipliedBy(2)));
        assertThat(b.tryAcquire().isAcquired()).isTrue();
        assertThat(table.tryAcquire("c", 1).isAcquired()).isTrue();
        assertThat(table.tryAcquire("d", 1).isAcquired()).isFalse();
        assertThat(table.tryAcquire("a", 1).isAcquired()).isFalse();
        CompletableFuture<Lease> waits = table.acquire("d", 1);
        assertThat(waits).isNotDone();
        time.advanceBy(PERIOD.multipliedBy(2));
        assertThat(waits.join().isAcquired()).isTrue();
        assertThat(table.tryAcquire("b", 1).isAcquired())
                .as("has its own by now")
                .isTrue();
        assertThat(b.limit()).isEqualTo(Limit.of(1, PERIOD));
    }

    @Test
    @DisplayName(
            "requests of keys beyond the maximum must fit the limit that they share, whatever the key's own allows")
    void overflowCapacity() {
        PartitionedRateLimiter<String> table = builder(Limit.of(5, PERIOD))
                .maximumKeys(1)
                .overflowTo(Limit.of(2, PERIOD))
                .build();
        assertThat(table.tryAcquire("a", 5).isAcquired()).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> table.tryAcquire("b", 3));
        assertThatIllegalArgumentException().isThrownBy(() -> table.acquire("b", 3));
        assertThat(table.tryAcquire("b", 2).isAcquired()).isTrue();
        time.advanceBy(PERIOD);
        assertThat(table.tryAcquire("b", 5).isAcquired())
                .as("has its own by now")
                .isTrue();
    }

    @Test
    @DisplayName("a throwing limit function poisons nothing")
    void throwingFunctionPoisonsNothing() {
        AtomicInteger failures = new AtomicInteger(2);
        PartitionedRateLimiter<String> table = PartitionedRateLimiter.<String>builder(key -> {
                    if (failures.getAndDecrement() > 0) {
                        throw new UnsupportedOperationException("no limit for " + key);
                    }
                    return Limit.of(1, PERIOD);
                })
                .maximumKeys(1)
                .build();
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> table.tryAcquire("a", 1));
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> table.forKey("a"));
        assertThat(table.keyCount()).isZero();
        assertThat(table.tryAcquire("a", 1).isAcquired()).isTrue();

        PartitionedRateLimiter<String> none =
                PartitionedRateLimiter.<String>builder(key -> null).build();
        assertThatNullPointerException()
                .isThrownBy(() -> none.tryAcquire("a", 1))
                .withMessageContaining("limit");
        PartitionedRateLimiter<String> calls = PartitionedRateLimiter.of(Limit.of(1, PERIOD));
        PartitionedRateLimiter<String> nested = PartitionedRateLimiter.<String>builder(key -> {
                    calls.tryAcquire(key, 1);
                    return Limit.of(1, PERIOD);
                })
                .build();
        assertThat(nested.tryAcquire("a", 1).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("closing refuses whoever waits and ends all keys, also those to come")
    void close() {
        PartitionedRateLimiter<String> table =
                builder(Limit.of(1, PERIOD)).name("users").build();
        RateLimiter handle = table.forKey("a");
        Lease lease = handle.tryAcquire();
        CompletableFuture<Lease> waits = table.acquire("a", 1);
        table.close();
        table.close();
        handle.close();
        assertThat(waits.join().reason()).contains(RefusalReason.CLOSED);
        lease.settle(5);
        lease.close();
        assertThatIllegalStateException().isThrownBy(handle::tryAcquire).withMessageContaining("users");
        assertThatIllegalStateException().isThrownBy(() -> handle.tryConsume(1)).withMessageContaining("users");
        assertThatIllegalStateException().isThrownBy(() -> table.tryAcquire("b", 1));
        assertThatIllegalStateException().isThrownBy(() -> table.acquire("b", 1));
        assertThatIllegalStateException().isThrownBy(() -> table.forKey("b"));
        assertThat(handle.toString()).contains("users");
        assertThat(table).hasToString("PartitionedRateLimiter[users]");
    }

    @Test
    @DisplayName("closing the limiter of one key ends that key only, for good")
    void closeOneKey() {
        PartitionedRateLimiter<String> table = builder(Limit.of(1, PERIOD)).build();
        CompletableFuture<Lease> granted = table.acquire("a", 1);
        CompletableFuture<Lease> waits = table.acquire("a", 1).orTimeout(1, TimeUnit.MINUTES);
        table.forKey("a").close();
        assertThat(granted.join().isAcquired()).isTrue();
        assertThat(waits.join().reason()).contains(RefusalReason.CLOSED);
        time.advanceBy(PERIOD.multipliedBy(5));
        assertThat(table.keyCount()).isEqualTo(1);
        assertThatIllegalStateException().isThrownBy(() -> table.tryAcquire("a", 1));
        assertThat(table.tryAcquire("b", 1).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("complains about what does not fit, by name")
    void badInput() {
        PartitionedRateLimiter.Builder<String> builder = PartitionedRateLimiter.builder(key -> Limit.of(2, PERIOD));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maximumKeys(0))
                .withMessage("maximumKeys must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.queueLimit(-1))
                .withMessageContaining("-1");
        assertThatNullPointerException()
                .isThrownBy(() -> builder.overflowTo(null))
                .withMessage("sharedByAllFurtherKeys");
        assertThatNullPointerException().isThrownBy(() -> builder.name(null)).withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> PartitionedRateLimiter.of(null))
                .withMessage("limit");
        assertThatNullPointerException()
                .isThrownBy(() -> PartitionedRateLimiter.builder(null))
                .withMessage("limitOf");
        PartitionedRateLimiter<String> table = builder.build();
        assertThatNullPointerException().isThrownBy(() -> table.forKey(null)).withMessage("key");
        assertThatNullPointerException()
                .isThrownBy(() -> table.tryAcquire(null, 1))
                .withMessage("key");
        assertThatNullPointerException()
                .isThrownBy(() -> table.acquire(null, 1))
                .withMessage("key");
        RateLimiter limiter = table.forKey("a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.tryAcquire(3))
                .withMessageContaining("3");
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.acquire(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.charge(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.pauseFor(Duration.ofNanos(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.reconfigure(Limit.concurrency(1)));
        assertThatNullPointerException().isThrownBy(() -> limiter.reconfigure(null));
        assertThatNullPointerException().isThrownBy(() -> limiter.acquire(1, null));
    }
}
