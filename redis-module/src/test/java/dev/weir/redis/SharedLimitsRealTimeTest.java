package dev.weir.redis;

import static dev.weir.redis.ServerDecisions.checkIsUsedUp;
import static dev.weir.redis.ServerDecisions.checkTakes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/** What one node does and another one feels. */
@MethodSource("dev.weir.redis.ServerProgram#present")
class SharedLimitsRealTimeTest extends NodesOnAServer {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final RedisOptions PATIENT = RedisOptions.defaults().deadline(Duration.ofSeconds(10));

    @Test
    @DisplayName("a grant under one limit counts under another, on every node")
    void anotherLimit() {
        RateLimiter one = node(PATIENT).limiter("live", Limit.of(5, HOUR));
        RateLimiter two = node(PATIENT).limiter("live", Limit.of(5, HOUR));
        checkTakes(one, 5);
        CompletableFuture<Lease> waiting = two.acquire(2);
        await().until(() -> two.statistics().queuedPermits() == 2);
        two.reconfigure(Limit.of(7, HOUR));
        assertThat(waiting.join().isAcquired()).isTrue();
        checkIsUsedUp(two);
        one.reconfigure(Limit.of(7, HOUR));
        checkIsUsedUp(one);
        assertThatThrownBy(() -> two.reconfigure(Limit.tokenBucket(1, 1, HOUR)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("a permit of concurrency that one node returns goes to another that waits")
    void concurrency() {
        RateLimiter one = node(PATIENT).limiter("slots", Limit.concurrency(2));
        RateLimiter two = node(PATIENT).limiter("slots", Limit.concurrency(2));
        Lease both = one.acquire(2).join();
        CompletableFuture<Lease> waiting = two.acquire(2);
        await().until(() -> two.statistics().queuedPermits() == 2);
        assertThat(waiting).isNotDone();
        both.close();
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("each key has a limit of its own, which two nodes share")
    void keys() {
        PartitionedRateLimiter<String> one = node(PATIENT).partitioned("user", Limit.of(2, HOUR));
        PartitionedRateLimiter<String> two = node(PATIENT).partitioned("user", Limit.of(2, HOUR));
        for (String key : List.of("ann", "{bob}", "c".repeat(200))) {
            checkTakes(one.forKey(key), 1);
            checkTakes(two.forKey(key), 1);
            checkIsUsedUp(one.forKey(key));
            checkIsUsedUp(two.forKey(key));
        }
    }

    @Test
    @DisplayName("chains of two limits, on two nodes and the other way round, are granted all that the limits admit")
    void chains() {
        Limit window = Limit.of(50, Duration.ofSeconds(1));
        Limit bucket = Limit.tokenBucket(50, 50, Duration.ofSeconds(1));
        List<RateLimiter> chains = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            RedisRateLimiters node = node(PATIENT);
            RateLimiter quota = node.limiter("quota", window);
            RateLimiter burst = node.limiter("burst", bucket);
            chains.add(RateLimiter.chain(quota, burst));
            chains.add(RateLimiter.chain(burst, quota));
        }
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            asked.add(chains.get(i % chains.size()).acquire());
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> asked.stream().allMatch(CompletableFuture::isDone));
        assertThat(asked).allMatch(lease -> lease.join().isAcquired());
    }

    @Test
    @DisplayName(
            "permits leased ahead: never more than the limit and what the nodes hold, and no more than the limit in the long run")
    void leasedAhead() {
        int permits = 50;
        int nodeCount = 4;
        int ahead = 20;
        Duration period = Duration.ofMillis(500);
        List<RateLimiter> limiters = new ArrayList<>();
        for (int i = 0; i < nodeCount; i++) {
            limiters.add(node(PATIENT.leaseAhead(ahead)).limiter("ahead", Limit.of(permits, period)));
        }
        List<Long> used = new ArrayList<>();
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < 6 * period.toNanos()) {
            for (RateLimiter limiter : limiters) {
                if (limiter.tryAcquire().isAcquired()) {
                    used.add(System.nanoTime());
                }
            }
        }
        int most = permits + nodeCount * ahead;
        for (int i = most; i < used.size(); i++) {
            assertThat(used.get(i) - used.get(i - most)).isGreaterThanOrEqualTo(period.toNanos() * 9 / 10);
        }
        assertThat(used).hasSizeGreaterThanOrEqualTo(permits);
        for (int i = 0; i < used.size(); i++) { // whatever was used was granted before
            long periods = i / permits;
            assertThat(used.get(i) - begin).as("use %d", i).isGreaterThanOrEqualTo(periods * period.toNanos() * 9 / 10);
        }
    }
}
