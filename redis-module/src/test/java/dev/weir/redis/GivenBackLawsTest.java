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

/** Very many takes that are undone, on a store that takes its time. */
class GivenBackLawsTest {

    private static final int PERMITS = 1_000;
    private static final int TAKES = 200;
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTimeSource time =
            new VirtualTimeSource(Duration.ofDays(1).toNanos());

    private static List<Limit> windows() {
        return List.of(
                Limit.of(PERMITS, HOUR),
                Limit.slidingWindow(PERMITS, HOUR, 6),
                Limit.fixedWindow(PERMITS, HOUR),
                Limit.fixedWindow(PERMITS, HOUR).aligned(),
                Limit.slidingWindowCounter(PERMITS, HOUR),
                Limit.tokenBucket(PERMITS, 1, HOUR).refillingInSteps());
    }

    private RateLimiter on(ManualStore store, Limit limit) {
        return ModelFleet.builder(limit, store, WhenUnavailable.LOCAL)
                .timeSource(time)
                .build();
    }

    private void answerLate(ManualStore store, Random random) {
        time.advanceBy(Duration.ofNanos(random.nextInt(5_000_000)));
        store.answerAll();
        time.advanceBy(Duration.ofNanos(random.nextInt(5_000_000)));
    }

    private List<Lease> takeAll(RateLimiter limiter, ManualStore store, Random random) {
        List<Lease> leases = new ArrayList<>();
        for (int take = 0; take < TAKES; take++) {
            CompletableFuture<Lease> asked = limiter.acquire();
            answerLate(store, random);
            leases.add(asked.join());
        }
        return leases;
    }

    private long availableAfter(Limit limit, boolean settled, long seed) {
        Random random = new Random(seed);
        ManualStore store = new ManualStore(new ModelStore(limit, time));
        RateLimiter limiter = on(store, limit);
        for (Lease lease : takeAll(limiter, store, random)) {
            if (settled) {
                lease.settle(0);
            } else {
                lease.giveBack();
            }
        }
        while (store.underWay() > 0) {
            answerLate(store, random);
        }
        return limiter.availablePermits();
    }

    @Test
    @DisplayName("hundreds of takes that begin a window, all given back or settled at nothing: all is there again")
    void firstOfAWindow() {
        for (Limit limit : windows()) {
            for (long seed = 1; seed <= 10; seed++) {
                for (boolean settled : new boolean[] {false, true}) {
                    assertThat(availableAfter(limit, settled, seed))
                            .as("%s, settled %s, seed %d", limit, settled, seed)
                            .isEqualTo(PERMITS);
                }
            }
        }
    }
}
