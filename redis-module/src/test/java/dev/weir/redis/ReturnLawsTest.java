package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The store is gone for a while, and comes back: what nodes that were alone meanwhile admit from then on. */
class ReturnLawsTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final int PERMITS = 12;

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final List<Long> admitted = new ArrayList<>();
    private boolean gone;

    private List<RateLimiter> nodes(int count, Limit limit, Random random) {
        ModelStore shared = new ModelStore(limit, time);
        Store leaving = (kept, question, listener) -> {
            if (gone) {
                listener.failed(new IllegalStateException("gone"));
            } else {
                shared.ask(kept, question, listener);
            }
        };
        Manners manners = ModelFleet.manners(WhenUnavailable.LOCAL, count);
        List<RateLimiter> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(ModelFleet.builder(limit, leaving, new Node(() -> random), manners)
                    .timeSource(time)
                    .build());
        }
        return nodes;
    }

    private void ask(RateLimiter node) {
        if (node.tryAcquire().isAcquired()) {
            admitted.add(time.nanoTime());
        }
    }

    private int mostInAPeriod() {
        int most = 0;
        for (int from = 0, to = 0; to < admitted.size(); to++) {
            while (admitted.get(to) - admitted.get(from) >= PERIOD.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    /** Plays an outage, all nodes asking for more than there is; what is counted begins with it. */
    private int mostAfter(int count, long seed) {
        Random random = new Random(seed);
        List<RateLimiter> nodes = nodes(count, Limit.of(PERMITS, PERIOD), random);
        gone = false;
        run(nodes, random, 500);
        admitted.clear();
        gone = true;
        run(nodes, random, 500 + random.nextInt(3_000));
        gone = false;
        run(nodes, random, 4_000);
        return mostInAPeriod();
    }

    private void run(List<RateLimiter> nodes, Random random, int millis) {
        for (int i = 0; i < millis; i++) {
            ask(nodes.get(random.nextInt(nodes.size())));
            ask(nodes.get(random.nextInt(nodes.size())));
            time.advanceBy(Duration.ofMillis(1));
        }
    }

    @Test
    @DisplayName("one node: from the beginning of the outage on no interval sees more than the limit")
    void one() {
        for (long seed = 1; seed <= 20; seed++) {
            assertThat(mostAfter(1, seed)).as("seed %s", seed).isEqualTo(PERMITS);
        }
    }

    @Test
    @DisplayName(
            "several nodes, which notice one after the other: no more than in steady state, but for an answer's time")
    void several() {
        for (long seed = 1; seed <= 20; seed++) {
            assertThat(mostAfter(4, seed)).as("seed %s", seed).isBetween(PERMITS, PERMITS + 1);
        }
    }

    @Test
    @DisplayName(
            "nodes that nobody asks any more when the store is back tell it all the same: nobody gets their part again")
    void idle() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            List<RateLimiter> nodes = nodes(4, Limit.of(PERMITS, Duration.ofHours(1)), random);
            admitted.clear();
            gone = true;
            run(nodes, random, 500);
            assertThat(admitted).as("seed %s", seed).hasSize(PERMITS);
            time.advanceBy(Duration.ofMillis(random.nextInt(3_000)));
            gone = false;
            run(nodes.subList(0, 1), random, 4_000);
            assertThat(admitted).as("seed %s", seed).hasSize(PERMITS);
        }
    }

    @Test
    @DisplayName("who waits alone is served when the store is back, though nobody asks for anything any more")
    void whoWaits() {
        Duration hour = Duration.ofHours(1);
        RateLimiter node = nodes(4, Limit.of(4, hour), new Random(1)).get(0);
        gone = true;
        assertThat(node.acquire().join().source()).isEqualTo(DecisionSource.FALLBACK);
        CompletableFuture<Lease> waiting = node.acquire();
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(waiting).isNotDone();
        gone = false;
        time.advanceBy(Duration.ofSeconds(3));
        assertThat(waiting).isCompletedWithValueMatching(lease -> lease.source() == DecisionSource.REMOTE);
    }
}
