package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chains with members in common, by the real clock, asked by several threads at once. */
class ChainsOfSharedMembersRealTimeTest {

    private static final int THREADS = 4;
    private static final int EACH = 150;
    private static final Duration PERIOD = Duration.ofMillis(8);

    private final PartitionedRateLimiter<Integer> keys = PartitionedRateLimiter.<Integer>builder(
                    key -> Limit.of(1 + key % 3, PERIOD))
            .build();
    private final List<RateLimiter> members = List.of(
            RateLimiter.of(5, PERIOD),
            RateLimiter.of(Limit.tokenBucket(4, 4, PERIOD)),
            RateLimiter.of(Limit.concurrency(3)),
            keys.forKey(1),
            keys.forKey(2),
            keys.forKey(3));
    private final Queue<Request> asked = new ConcurrentLinkedQueue<>();

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    @DisplayName("each request is answered or cancelled, once, whoever comes and goes, and nothing stays behind")
    void allAreAnswered(long seed) {
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            Random random = new Random(seed * THREADS + thread);
            threads.add(CompletableFuture.runAsync(() -> ask(random)));
        }
        threads.forEach(CompletableFuture::join);
        for (Request request : asked) {
            assertThat(request.ended.orTimeout(20, TimeUnit.SECONDS))
                    .as("seed %d", seed)
                    .succeedsWithin(Duration.ofSeconds(20));
            assertThat(request.times).hasValue(1);
        }
        for (RateLimiter member : members) {
            assertThat(member.statistics().queuedPermits()).isZero();
        }
        assertThat(members.get(2).availablePermits())
                .as("all leases are closed")
                .isEqualTo(3);
    }

    private void ask(Random random) {
        List<RateLimiter> shuffled = new ArrayList<>(members);
        for (int i = 0; i < EACH; i++) {
            Collections.shuffle(shuffled, random);
            RateLimiter chain =
                    RateLimiter.chain(shuffled.subList(0, 1 + random.nextInt(3)).toArray(RateLimiter[]::new));
            Request request = new Request();
            asked.add(request);
            PermitRequest open = chain.acquire(random.nextInt(10) == 0 ? 0 : 1, request);
            if (random.nextInt(5) == 0 && open.cancel()) {
                request.end();
            }
        }
    }

    private static final class Request implements PermitListener {

        private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
        private final AtomicInteger times = new AtomicInteger();

        @Override
        public void onLease(Lease lease) {
            lease.close();
            end();
        }

        private void end() {
            times.incrementAndGet();
            ended.complete(true);
        }
    }
}
