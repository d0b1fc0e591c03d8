package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Eight threads at several limits in one, on a clock that moves only between their attacks, so that all can be counted. */
class SeveralLimitsContentionTest {

    private static final int THREADS = 8;
    private static final Duration STEP = Duration.ofMillis(5);
    private static final Limit STRICT = Limit.of(50, STEP);
    private static final Limit LOOSE = Limit.tokenBucket(120, 60, STEP);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ExecutorService pool = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void stop() {
        pool.shutdown();
    }

    @Test
    @DisplayName("all-of: at every step exactly what the strictest limit allows, and nothing burned at the others")
    void allOf() {
        exactlyTheStrictest(limiter(Limit.allOf(LOOSE, STRICT)));
    }

    @Test
    @DisplayName("a chain: at every step exactly what the strictest member allows, and nothing burned at the others")
    void chain() {
        RateLimiter strict = limiter(STRICT);
        RateLimiter loose = limiter(LOOSE);
        RateLimiter chain = RateLimiter.chain(loose, strict);
        exactlyTheStrictest(chain);

        long granted = chain.statistics().acquired();
        assertThat(strict.statistics().acquired()).isEqualTo(granted);
        assertThat(loose.statistics().acquired()).isEqualTo(granted);
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(loose.availablePermits()).isEqualTo(120);
    }

    private void exactlyTheStrictest(RateLimiter limiter) {
        for (int step = 0; step < 200; step++) {
            AtomicLong granted = new AtomicLong();
            inParallel(thread -> {
                while (limiter.tryAcquire().isAcquired()) {
                    granted.incrementAndGet();
                }
            });
            assertThat(granted).as("step %d", step).hasValue(50);
            time.advanceBy(STEP);
        }
    }

    @Test
    @DisplayName("two chains in opposite orders, waiting, cancelling and giving back: every permit comes home")
    void oppositeChainsConserve() {
        RateLimiter slots = limiter(Limit.concurrency(6));
        RateLimiter others = limiter(Limit.concurrency(5));
        RateLimiter there = RateLimiter.chain(slots, others);
        RateLimiter back = RateLimiter.chain(others, slots);
        Queue<Lease> held = new ConcurrentLinkedQueue<>();
        inParallel(thread -> {
            SplittableRandom random = new SplittableRandom(thread);
            for (int step = 0; step < 3_000; step++) {
                RateLimiter chain = random.nextBoolean() ? there : back;
                PermitRequest request = chain.acquire(1 + random.nextInt(3), held::add);
                if (random.nextInt(4) == 0) {
                    request.cancel();
                }
                int returned = random.nextInt(8);
                for (Lease lease = held.poll(); lease != null; lease = returned-- > 0 ? held.poll() : null) {
                    lease.close();
                }
            }
        });
        for (Lease lease = held.poll(); lease != null; lease = held.poll()) {
            lease.close();
        }
        assertThat(there.statistics().queuedPermits()).isZero();
        assertThat(back.statistics().queuedPermits()).isZero();
        assertThat(slots.availablePermits()).isEqualTo(6);
        assertThat(others.availablePermits()).isEqualTo(5);
    }

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(time).build();
    }

    private void inParallel(IntConsumer body) {
        var running = IntStream.range(0, THREADS)
                .<Future<?>>mapToObj(thread -> pool.submit(() -> body.accept(thread)))
                .toList();
        running.forEach(future -> {
            try {
                future.get();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }
}
