package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.FixedWindow;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Chains of several limits of a fleet, each of which a trip has to be made for, in virtual time. */
class ChainOfFleetsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration STEP = Duration.ofMillis(1);
    private static final long TRIP_NANOS = 2_000_000;

    /** How late a permit may be used after the store has counted it: its life, and half a trip. */
    private static final long LATE_MILLIS = 101;

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private int trips;

    /** What the stores have of the permits that were taken of each limit. */
    private final List<PermitPolicy> kept = new ArrayList<>();

    private RateLimiter fleet(Limit limit) {
        NodeSettings settings = new TestSettings()
                .pollNanos(100_000_000)
                .renewNanos(3_000_000_000L)
                .build();
        return ModelFleet.builder(limit, storeOf(limit), settings)
                .timeSource(time)
                .build();
    }

    private Store storeOf(Limit limit) {
        ModelStore model = new ModelStore(limit, time);
        kept.add(model.policy());
        Store distant = new DistantStore(model, time, TRIP_NANOS);
        return (wanted, question, listener) -> {
            trips++;
            distant.ask(wanted, question, listener);
        };
    }

    private RateLimiter local(Limit limit) {
        return RateLimiter.builder(limit).timeSource(time).build();
    }

    private void advance(Duration duration) {
        for (long left = duration.toNanos(); left > 0; left -= STEP.toNanos()) {
            time.advanceBy(STEP);
        }
    }

    /** Answers when each of so many requests, asked for at once, was granted, in milliseconds; those that are by then. */
    private List<Long> grantedMillis(RateLimiter chain, int requests, Duration until) {
        long begin = time.nanoTime();
        List<Long> granted = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            chain.acquire(1, lease -> {
                if (lease.isAcquired()) {
                    granted.add((time.nanoTime() - begin) / 1_000_000);
                    lease.close();
                }
            });
        }
        advance(until);
        return granted;
    }

    @Test
    @DisplayName("the permit of one is at hand until that of the other is there")
    void two() {
        RateLimiter chain = RateLimiter.chain(fleet(Limit.of(10, SECOND)), fleet(Limit.tokenBucket(10, 10, SECOND)));
        List<Long> granted = grantedMillis(chain, 30, Duration.ofSeconds(4));
        assertThat(granted).hasSize(30);
        assertThat(granted.get(9)).isLessThan(100);
        assertThat(granted.get(19)).isBetween(1000L, 1200L);
        assertThat(granted.get(29)).isBetween(2000L, 2400L);
    }

    @Test
    @DisplayName("a chain of three fleet limits, one of them short, and a local one grants all in time")
    void three() {
        RateLimiter chain = RateLimiter.chain(
                fleet(Limit.of(10, SECOND)),
                local(Limit.concurrency(2)),
                fleet(Limit.concurrency(3)),
                fleet(Limit.leakyBucket(20, SECOND)));
        assertThat(grantedMillis(chain, 30, Duration.ofSeconds(4))).hasSize(30);
    }

    @Test
    @DisplayName("a caller that tries again when the answers are there is granted at the third try")
    void withoutWaiting() {
        RateLimiter chain = RateLimiter.chain(fleet(Limit.of(10, SECOND)), fleet(Limit.of(20, SECOND)));
        Lease lease = chain.tryAcquire();
        int tries = 1;
        for (; !lease.isAcquired() && tries < 10; tries++) {
            time.advanceBy(lease.retryAfter().orElse(Duration.ofNanos(2 * TRIP_NANOS)));
            lease = chain.tryAcquire();
        }
        assertThat(tries).isEqualTo(3);
    }

    @Test
    @DisplayName("a permit at hand as a request begins to wait for another limit is at hand when that answers")
    void oneAtHandAlready() {
        RateLimiter chain = RateLimiter.chain(fleet(Limit.of(10, SECOND)), fleet(Limit.of(20, SECOND)));
        Duration trip = Duration.ofNanos(TRIP_NANOS);
        assertThat(chain.tryAcquire().isAcquired()).isFalse(); // asks the store of the first
        time.advanceBy(trip);
        assertThat(chain.tryAcquire().isAcquired()).isFalse(); // asks that of the second
        int before = trips;
        CompletableFuture<Lease> waiting = chain.acquire();
        time.advanceBy(trip);
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(trips).isEqualTo(before);
    }

    @Test
    @DisplayName("a permit at hand in vain is given back in time, without more trips")
    void inVain() {
        RateLimiter wide = fleet(Limit.of(2, Duration.ofHours(1)));
        RateLimiter narrow = fleet(Limit.concurrency(1));
        CompletableFuture<Lease> held = narrow.acquire();
        advance(SECOND);
        CompletableFuture<Lease> waiting = RateLimiter.chain(wide, narrow).acquire();
        advance(SECOND);
        assertThat(waiting).isNotDone();
        assertThat(kept.get(0).available(time.nanoTime())).isEqualTo(2);
        waiting.cancel(false);
        held.join().close();
        advance(SECOND);
        assertThat(kept.get(1).available(time.nanoTime())).isEqualTo(1);
        int before = trips;
        advance(Duration.ofSeconds(10));
        assertThat(trips).isEqualTo(before);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a chain of any limits grants hardly later than a local one, and loses no permits")
    void whateverTheLimits() {
        for (long seed = 1; seed <= 200; seed++) {
            play(seed);
        }
    }

    private void play(long seed) {
        Random random = new Random(seed);
        List<Limit> limits = Stream.generate(() -> anyLimit(random))
                .limit(2 + random.nextInt(2))
                .toList();
        int requests = 1 + random.nextInt(30);
        kept.clear();
        RateLimiter chain = RateLimiter.chain(limits.stream().map(this::fleet).toArray(RateLimiter[]::new));
        RateLimiter model = RateLimiter.chain(limits.stream().map(this::local).toArray(RateLimiter[]::new));
        List<Long> expected = grantedMillis(model, requests, Duration.ofSeconds(40));
        List<Long> granted = grantedMillis(chain, requests, Duration.ofSeconds(60));
        assertThat(granted).as("seed %s, %s", seed, limits).hasSameSizeAs(expected);
        for (int i = 0; i < requests; i++) {
            assertThat(granted.get(i))
                    .as("seed %s, %s, request %s", seed, limits, i)
                    .isLessThanOrEqualTo(expected.get(i) * 3 / 2 + 200);
        }
        limits.forEach(limit -> assertBound(limit, granted, seed));
        advance(Duration.ofSeconds(10));
        for (int i = 0; i < limits.size(); i++) {
            assertThat(kept.get(i).nanosUntilFull(time.nanoTime()))
                    .as("seed %s, %s", seed, limits.get(i))
                    .isZero();
        }
        assertThat(time.pendingTasks()).as("seed %s", seed).isZero();
    }

    /** No interval sees more than the limit, but for what was kept at hand. */
    private static void assertBound(Limit limit, List<Long> grantedMillis, long seed) {
        for (int from = 0; from < grantedMillis.size(); from++) {
            for (int to = from; to < grantedMillis.size(); to++) {
                long millis = grantedMillis.get(to) - grantedMillis.get(from) + LATE_MILLIS;
                assertThat((long) to - from + 1)
                        .as("seed %s, %s: from %s to %s", seed, limit, from, to)
                        .isLessThanOrEqualTo(mostWithin(millis, limit));
            }
        }
    }

    private static long mostWithin(long millis, Limit limit) {
        if (limit instanceof SlidingWindowLog window) {
            return window.permits() * (millis / 1000 + 1);
        } else if (limit instanceof FixedWindow window) {
            return window.permits() * (millis / 1000 + 2);
        } else if (limit instanceof TokenBucket bucket) {
            return bucket.capacity() + bucket.refillTokens() * millis / 1000;
        } else if (limit instanceof LeakyBucket bucket) {
            return 1 + bucket.permits() * millis / 1000;
        }
        return Long.MAX_VALUE; // all come back at once
    }

    private static Limit anyLimit(Random random) {
        int permits = 1 + random.nextInt(5);
        return switch (random.nextInt(5)) {
            case 0 -> Limit.of(permits, SECOND);
            case 1 -> Limit.tokenBucket(permits, 5, SECOND);
            case 2 -> Limit.leakyBucket(permits, SECOND);
            case 3 -> Limit.fixedWindow(permits, SECOND);
            default -> Limit.concurrency(permits);
        };
    }
}
