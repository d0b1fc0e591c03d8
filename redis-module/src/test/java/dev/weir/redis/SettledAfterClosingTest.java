package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Concurrency and a rate in one limit, whose leases are settled before or after they are closed: as in one JVM. */
class SettledAfterClosingTest extends OnAServer {

    private static final int CALLS = 4;
    private static final Limit LIMIT =
            Limit.allOf(Limit.concurrency(CALLS).countingCalls(), Limit.of(100_000, Duration.ofHours(1)));

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final ServerInVirtualTime server = new ServerInVirtualTime(host, time, Duration.ZERO);

    /** Ends a lease as a seed says: settled and closed in either order, for more or for less. */
    private static void end(Lease lease, Random random) {
        int actual = random.nextInt(2 * lease.permits());
        if (random.nextBoolean()) {
            lease.settle(actual);
            lease.close();
        } else {
            lease.close();
            lease.settle(actual);
        }
    }

    private Lease taken(RateLimiter limiter, int permits) {
        CompletableFuture<Lease> asked = limiter.acquire(permits);
        time.advanceBy(Duration.ofMillis(200));
        assertThat(asked).isCompletedWithValueMatching(Lease::isAcquired);
        return asked.join();
    }

    private long availableAfter(RateLimiter limiter, Random random) {
        List<Lease> out = new ArrayList<>();
        for (int step = 0; step < 20; step++) {
            if (out.size() < CALLS && random.nextBoolean()) {
                out.add(taken(limiter, 1 + random.nextInt(2_000)));
            } else if (!out.isEmpty()) {
                end(out.remove(random.nextInt(out.size())), random);
            }
        }
        out.forEach(Lease::close);
        for (int look = 0; look < 5; look++) {
            long unused = limiter.availablePermits();
            time.advanceBy(Duration.ofSeconds(1));
        }
        return limiter.availablePermits();
    }

    @Test
    @DisplayName("as many are available afterwards, and all can be out again")
    void asInOneJvm() {
        for (long seed = 1; seed <= 20; seed++) {
            host.flush();
            RateLimiter local = RateLimiter.builder(LIMIT).timeSource(time).build();
            RateLimiter fleet = Nodes.on(server, RedisOptions.defaults())
                    .builder("settled", LIMIT)
                    .timeSource(time)
                    .build();
            long here = availableAfter(local, new Random(seed));
            assertThat(availableAfter(fleet, new Random(seed)))
                    .as("seed %d", seed)
                    .isEqualTo(here);
            List<Lease> all = new ArrayList<>();
            for (int call = 0; call < CALLS; call++) {
                all.add(taken(fleet, 1));
            }
            all.forEach(Lease::close);
            time.advanceBy(Duration.ofSeconds(1));
        }
    }

    @Test
    @DisplayName("a fleet out of reach of its server settles closed leases as one JVM does")
    void alone() {
        for (long seed = 1; seed <= 20; seed++) {
            host.flush();
            RateLimiter local = RateLimiter.builder(LIMIT).timeSource(time).build();
            RateLimiter fleet = Nodes.on(server, RedisOptions.defaults())
                    .builder("settled", LIMIT)
                    .timeSource(time)
                    .build();
            server.isGone();
            long here = availableAfter(local, new Random(seed));
            assertThat(availableAfter(fleet, new Random(seed)))
                    .as("seed %d", seed)
                    .isEqualTo(here);
        }
    }
}
