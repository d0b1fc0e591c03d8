package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a key costs while nobody waits, beyond the key itself and its map entry. */
class PartitionMemoryTest {

    private static final int KEYS = 200_000;
    private static final long ALLOWED = 96;

    /** What the heap may have moved otherwise, spread over the keys. */
    private static final double TOLERANCE = 2;

    private final SteppedTime time = new SteppedTime(0);
    private final Integer[] keys = new Integer[KEYS];

    PartitionMemoryTest() {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = i + 1_000;
        }
    }

    @Test
    @DisplayName("a limit of concurrency costs at most 96 bytes a key")
    void concurrency() {
        assertThat(bytesPerKey(Limit.concurrency(5), false)).isLessThanOrEqualTo(ALLOWED + TOLERANCE);
    }

    @Test
    @DisplayName("buckets and windows of constant size cost at most 96 bytes a key")
    void constantSize() {
        Duration second = Duration.ofSeconds(1);
        for (Limit limit : List.of(
                Limit.tokenBucket(10, 10, second),
                Limit.tokenBucket(10, 10, second).refillingInSteps(),
                Limit.leakyBucket(10, second),
                Limit.fixedWindow(10, second),
                Limit.slidingWindowCounter(10, second))) {
            assertThat(bytesPerKey(limit, false)).as("%s", limit).isLessThanOrEqualTo(ALLOWED + TOLERANCE);
        }
    }

    @Test
    @DisplayName("in a table, too, a key costs at most 96 bytes more than in a map")
    void besideItsMapEntry() {
        Object shared = new Object();
        long inMap = bytesOf(() -> {
            Map<Object, Object> map = new ConcurrentHashMap<>();
            for (Integer key : keys) {
                map.put(key, shared);
            }
            return new Object[] {map};
        });
        long inTable = bytesOf(() -> {
            PartitionTable<Integer> table = (PartitionTable<Integer>)
                    PartitionedRateLimiter.<Integer>builder(key -> Limit.tokenBucket(10, 10, Duration.ofSeconds(1)))
                            .timeSource(time)
                            .build();
            for (Integer key : keys) {
                table.tryAcquire(key, 1);
            }
            assertThat(table.keptKeys()).isEqualTo(KEYS);
            return new Object[] {table};
        });
        assertThat((inTable - inMap) / (double) KEYS).isLessThanOrEqualTo(ALLOWED + TOLERANCE);
    }

    @Test
    @DisplayName("an exact window costs at most 8 bytes a permit more, and less as long as few are used")
    void exactWindow() {
        assertThat(bytesPerKey(Limit.of(10, Duration.ofSeconds(1)), false))
                .isLessThanOrEqualTo(ALLOWED + 8 * 10 + TOLERANCE);
        assertThat(bytesPerKey(Limit.of(1_000, Duration.ofSeconds(1)), false))
                .isLessThanOrEqualTo(ALLOWED + 8 * 10 + TOLERANCE);
    }

    @Test
    @DisplayName("keys of several tiers share what follows from their limits")
    void severalTiers() {
        Duration second = Duration.ofSeconds(1);
        List<Limit> tiers = List.of(Limit.tokenBucket(10, 10, second), Limit.tokenBucket(20, 10, second));
        List<Terms> terms = new ArrayList<>();
        for (Limit tier : tiers) {
            terms.add(terms(tier));
        }
        assertThat(bytesPerKey(terms, false)).isLessThanOrEqualTo(ALLOWED + TOLERANCE);
    }

    @Test
    @DisplayName("a key that has counted very much goes on to count right")
    void countsVeryMuch() {
        PermitEngine engine = new PermitEngine(terms(Limit.of(1, Duration.ofSeconds(1))), "key");
        int many = 1 << 29;
        for (int i = 1; i <= 12; i++) {
            engine.count(many, 0);
            assertThat(engine.statistics().acquired()).isEqualTo(i * (long) many);
        }
        engine.tryAcquire(1);
        engine.tryAcquire(1);
        engine.count(-1, 0);
        assertThat(engine.statistics()).isEqualTo(new RateLimiterStatistics(0, 0, 12L * many, 1));

        PermitEngine undone = new PermitEngine(terms(Limit.of(1, Duration.ofSeconds(1))), "key");
        undone.tryAcquire(1);
        undone.tryAcquire(1);
        undone.count(-2, 0);
        assertThat(undone.statistics()).isEqualTo(new RateLimiterStatistics(0, 0, -1, 1));
    }

    @Test
    @DisplayName("a key costs no more after somebody has waited")
    void afterWaiting() {
        assertThat(bytesPerKey(Limit.concurrency(1), true)).isLessThanOrEqualTo(ALLOWED + TOLERANCE);
    }

    @Test
    @DisplayName("equal limits are kept once, though the function makes one for each key")
    void equalLimitsAreShared() {
        PartitionTable<Integer> table = (PartitionTable<Integer>)
                PartitionedRateLimiter.<Integer>builder(key -> Limit.of(1 + key % 3, Duration.ofSeconds(1)))
                        .timeSource(time)
                        .build();
        for (int key = 0; key < 1_000; key++) {
            table.tryAcquire(key, 1);
            assertThat(table.toRead(key).terms()).isSameAs(table.toRead(key % 3).terms());
        }
    }

    private Terms terms(Limit limit) {
        Settings settings = new Settings();
        settings.timeSource(time);
        settings.name("one of many");
        return Terms.oneOfMany(settings, limit, (key, permits) -> {});
    }

    private double bytesPerKey(Limit limit, boolean wait) {
        return bytesPerKey(List.of(terms(limit)), wait);
    }

    private double bytesPerKey(List<Terms> terms, boolean wait) {
        PermitEngine[] engines = new PermitEngine[KEYS];
        long bytes = bytesOf(() -> {
            for (int i = 0; i < KEYS; i++) {
                engines[i] = new PermitEngine(terms.get(i % terms.size()), keys[i]);
                use(engines[i], wait);
            }
            return engines;
        });
        return bytes / (double) KEYS;
    }

    private static void use(PermitEngine engine, boolean wait) {
        Lease first = engine.tryAcquire(1);
        assertThat(first.isAcquired()).isTrue();
        if (wait) {
            CompletableFuture<Lease> second = engine.acquire(1);
            assertThat(second).isNotDone();
            first.close();
            assertThat(second).isDone();
        }
    }

    /** Measures twice and believes the less: garbage of before that is freed only meanwhile adds more than others allocate. */
    private static long bytesOf(Supplier<Object[]> made) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 2; i++) {
            Object[] kept = made.get();
            long with = used();
            Arrays.fill(kept, null);
            least = Math.min(least, with - used());
        }
        return least;
    }

    private static long used() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 2; i++) {
            System.gc();
            used = Math.min(
                    used,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return used;
    }
}
