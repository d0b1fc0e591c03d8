package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that many threads take from while others forget them. */
class PartitionContentionTest {

    private static final int THREADS = 6;
    private static final int KEYS = 4;
    private static final Duration PERIOD = Duration.ofSeconds(1);

    @Test
    @DisplayName("a key that is forgotten and taken from at the same time grants its limit, not twice and not less")
    void limitHoldsWhileForgetting() {
        int limit = 5;
        int rounds = 3_000;
        SteppedTime time = new SteppedTime(-1);
        PartitionedRateLimiter<Integer> table = PartitionedRateLimiter.<Integer>builder(key -> Limit.of(limit, PERIOD))
                .timeSource(time)
                .build();
        AtomicIntegerArray granted = new AtomicIntegerArray(KEYS);
        List<String> wrong = new ArrayList<>();
        AtomicInteger round = new AtomicInteger();
        CyclicBarrier done = new CyclicBarrier(THREADS, () -> {
            for (int key = 0; key < KEYS; key++) {
                int grants = granted.getAndSet(key, 0);
                if (grants != limit) {
                    wrong.add("round " + round + ", key " + key + ": " + grants);
                }
            }
            round.incrementAndGet();
            time.advanceBy(PERIOD);
        });
        CyclicBarrier start = new CyclicBarrier(THREADS);
        Concurrently.run(THREADS, thread -> {
            List<RateLimiter> handles = new ArrayList<>();
            for (int key = 0; key < KEYS; key++) {
                handles.add(table.forKey(key));
            }
            for (int i = 0; i < rounds; i++) {
                start.await();
                if (thread == 0) {
                    table.keyCount();
                }
                for (int n = 0; n < KEYS * limit; n++) {
                    int key = (n + thread) % KEYS;
                    Lease lease = thread % 2 == 0 ? handles.get(key).tryAcquire() : table.tryAcquire(key, 1);
                    if (lease.isAcquired()) {
                        granted.incrementAndGet(key);
                    }
                }
                if (thread == 1) {
                    table.keyCount();
                }
                done.await();
            }
        });
        assertThat(wrong).isEmpty();
    }

    @Test
    @DisplayName("a key never has more calls under way than its limit, though it is often forgotten")
    void concurrencyHoldsWhileForgetting() {
        int limit = 2;
        PartitionedRateLimiter<Integer> table = PartitionedRateLimiter.of(Limit.concurrency(limit));
        AtomicIntegerArray out = new AtomicIntegerArray(KEYS);
        AtomicInteger exceeded = new AtomicInteger();
        AtomicInteger granted = new AtomicInteger();
        Concurrently.run(THREADS, thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < 40_000; i++) {
                int key = random.nextInt(KEYS);
                Lease lease = table.tryAcquire(key, 1);
                if (lease.isAcquired()) {
                    granted.incrementAndGet();
                    if (out.incrementAndGet(key) > limit) {
                        exceeded.incrementAndGet();
                    }
                    out.decrementAndGet(key);
                    lease.close();
                }
                if (i % 16 == 0) {
                    table.keyCount();
                }
            }
        });
        assertThat(exceeded).hasValue(0);
        assertThat(granted.get()).isGreaterThan(40_000);
        assertThat(table.keyCount()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "of as many keys as there is room for none is refused for want of room, or shares what further keys share")
    void roomForEachKey(boolean isShared) {
        PartitionedRateLimiter.Builder<Integer> builder = PartitionedRateLimiter.<Integer>builder(
                        key -> Limit.concurrency(100))
                .maximumKeys(KEYS);
        if (isShared) {
            builder.overflowTo(Limit.of(1, Duration.ofDays(1)));
        }
        PartitionedRateLimiter<Integer> table = builder.build();
        AtomicInteger refused = new AtomicInteger();
        Concurrently.run(2, thread -> {
            for (int i = 0; i < 500_000; i++) {
                int key = i % KEYS;
                Lease lease = i % 3 == 0 ? table.acquire(key, 1).join() : table.tryAcquire(key, 1);
                refused.addAndGet(lease.isAcquired() ? 0 : 1);
                lease.close();
            }
        });
        assertThat(refused).hasValue(0);
        for (int key = 0; key < KEYS; key++) {
            assertThat(table.tryAcquire(key, 1).isAcquired()).isTrue();
        }
        assertThat(table.tryAcquire(KEYS, 1).isAcquired())
                .as("the shared permit")
                .isEqualTo(isShared);
    }

    @Test
    @DisplayName(
            "a key for which there is room has its own limit in a chain and to a reader, though it is often forgotten")
    void ownLimitInAChain() {
        Limit own = Limit.concurrency(100);
        PartitionedRateLimiter<Integer> table = PartitionedRateLimiter.<Integer>builder(key -> own)
                .maximumKeys(1)
                .overflowTo(Limit.of(1, Duration.ofDays(1)))
                .build();
        RateLimiter limiter = table.forKey(1);
        RateLimiter chain = RateLimiter.chain(limiter, RateLimiter.of(own));
        AtomicInteger wrong = new AtomicInteger();
        AtomicInteger readersLeft = new AtomicInteger(1);
        Concurrently.run(2, thread -> {
            while (thread == 1 && readersLeft.get() > 0) {
                table.tryAcquire(1, 1).close();
                table.keyCount();
            }
            for (int i = 0; thread == 0 && i < 100_000; i++) {
                wrong.addAndGet(limiter.limit().equals(own) && takesFive(chain) ? 0 : 1);
            }
            readersLeft.decrementAndGet();
        });
        assertThat(wrong).hasValue(0);
    }

    /** Five are more than the capacity of what further keys share. */
    private static boolean takesFive(RateLimiter limiter) {
        try (Lease lease = limiter.tryAcquire(5);
                Lease waited = limiter.acquire(5).join()) {
            return lease.isAcquired() && waited.isAcquired();
        } catch (IllegalArgumentException byAnotherLimit) {
            return false;
        }
    }

    @Test
    @DisplayName("a request that waits for a key is granted once, though keys are forgotten all the time")
    void everybodyWhoWaitsIsGranted() {
        PartitionedRateLimiter<Integer> table = PartitionedRateLimiter.of(Limit.concurrency(1));
        AtomicIntegerArray out = new AtomicIntegerArray(KEYS);
        AtomicInteger exceeded = new AtomicInteger();
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger cancelled = new AtomicInteger();
        int each = 5_000;
        Concurrently.run(THREADS, thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < each; i++) {
                int key = random.nextInt(KEYS);
                CompletableFuture<Void> ended = new CompletableFuture<>();
                PermitRequest request = table.forKey(key).acquire(1, lease -> {
                    if (out.incrementAndGet(key) > 1) {
                        exceeded.incrementAndGet();
                    }
                    granted.addAndGet(lease.isAcquired() ? 1 : 0);
                    out.decrementAndGet(key);
                    lease.close();
                    ended.complete(null);
                });
                if (random.nextInt(4) == 0 && request.cancel()) {
                    cancelled.incrementAndGet();
                } else {
                    ended.join();
                }
                if (i % 8 == 0) {
                    table.keyCount();
                }
            }
        });
        assertThat(exceeded).hasValue(0);
        assertThat(granted.get() + cancelled.get()).isEqualTo(THREADS * each);
        assertThat(table.keyCount()).isZero();
    }

    @Test
    @DisplayName("many threads that bring the same new keys get one limiter for each")
    void createdOnce() {
        int keys = 20_000;
        PartitionedRateLimiter<Integer> table = PartitionedRateLimiter.of(Limit.of(1, Duration.ofDays(1)));
        AtomicInteger granted = new AtomicInteger();
        CyclicBarrier start = new CyclicBarrier(THREADS);
        Concurrently.run(THREADS, thread -> {
            start.await();
            for (int key = 0; key < keys; key++) {
                if (table.tryAcquire(key, 1).isAcquired()) {
                    granted.incrementAndGet();
                }
            }
        });
        assertThat(granted).hasValue(keys);
        assertThat(table.keyCount()).isEqualTo(keys);
    }

    @Test
    @DisplayName("the maximum holds under many threads, and each admitted key has one limiter")
    void maximumHoldsUnderManyThreads() {
        int maximum = 100;
        PartitionedRateLimiter<Integer> table = PartitionedRateLimiter.<Integer>builder(
                        key -> Limit.of(1, Duration.ofDays(1)))
                .maximumKeys(maximum)
                .build();
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger tooMany = new AtomicInteger();
        Concurrently.run(THREADS, thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < 20_000; i++) {
                if (table.tryAcquire(random.nextInt(1_000), 1).isAcquired()) {
                    granted.incrementAndGet();
                }
                if (i % 64 == 0 && table.keyCount() > maximum) {
                    tooMany.incrementAndGet();
                }
            }
        });
        assertThat(granted).hasValue(maximum);
        assertThat(tooMany).hasValue(0);
        assertThat(table.keyCount()).isEqualTo(maximum);
    }

    @Test
    @DisplayName("closing while keys come in leaves no limiter open and nobody waiting")
    void closeWhileKeysComeIn() {
        for (int round = 0; round < 200; round++) {
            PartitionedRateLimiter<Integer> table = PartitionedRateLimiter.of(
                    Limit.tokenBucket(1, 1, Duration.ofDays(1)).startingWith(0)); // only the close answers anybody
            AtomicInteger asked = new AtomicInteger();
            AtomicInteger answered = new AtomicInteger();
            CyclicBarrier start = new CyclicBarrier(THREADS);
            Concurrently.run(THREADS, thread -> {
                start.await();
                if (thread == 0) {
                    table.close();
                    return;
                }
                for (int key = 0; key < 50; key++) {
                    try {
                        table.forKey(key).acquire(1, lease -> answered.incrementAndGet());
                        asked.incrementAndGet();
                    } catch (IllegalStateException closed) {
                        assertThat(closed).hasMessageContaining("closed");
                        return;
                    }
                }
            });
            assertThat(answered).as("answers in round %d", round).hasValue(asked.get());
        }
    }

    @Test
    @DisplayName("a lease of a key that was forgotten may be settled for more while all keys are being closed")
    void settledWhileClosing() {
        int rounds = 2_000;
        int leases = 200;
        SteppedTime time = new SteppedTime(-1);
        AtomicReference<PartitionedRateLimiter<Integer>> table = new AtomicReference<>();
        Lease[] out = new Lease[leases];
        CyclicBarrier start = new CyclicBarrier(THREADS, () -> {
            PartitionedRateLimiter<Integer> made = PartitionedRateLimiter.<Integer>builder(key -> Limit.of(1, PERIOD))
                    .timeSource(time)
                    .build();
            Arrays.setAll(out, key -> made.tryAcquire(key, 1));
            time.advanceBy(PERIOD);
            assertThat(made.keyCount()).isZero();
            table.set(made);
        });
        AtomicInteger settled = new AtomicInteger();
        CyclicBarrier done = new CyclicBarrier(THREADS, () -> settled.set(0));
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Concurrently.run(THREADS, thread -> {
            Random random = new Random(thread);
            for (int round = 0; round < rounds; round++) {
                start.await();
                int closing = random.nextInt(leases);
                while (thread == 0 && settled.get() < closing) {
                    Thread.onSpinWait();
                }
                if (thread == 0) {
                    table.get().close();
                }
                for (int i = settled.getAndIncrement(); i < leases; i = settled.getAndIncrement()) {
                    try {
                        out[i].settle(2);
                    } catch (IllegalStateException refused) {
                        thrown.add(refused);
                    }
                }
                done.await();
            }
        });
        assertThat(thrown).isEmpty();
    }
}
