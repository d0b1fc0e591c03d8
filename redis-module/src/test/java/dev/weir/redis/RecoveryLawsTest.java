package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The store is gone for a while, and comes back: what nodes that were alone meanwhile admit from then on. */
class RecoveryLawsTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final int PERMITS = 12;

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final List<Long> admitted = new ArrayList<>();
    private final Set<Integer> nodesOut = new HashSet<>();
    private IntPredicate gone = node -> false;

    private List<RateLimiter> nodes(int count, Limit limit, Random random) {
        ModelStore shared = new ModelStore(limit, time);
        NodeSettings settings = ModelFleet.settings(WhenUnavailable.LOCAL, count);
        List<RateLimiter> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(ModelFleet.builder(limit, leaving(shared, i), Nodes.node(random), settings)
                    .timeSource(time)
                    .build());
        }
        return nodes;
    }

    private Store leaving(Store shared, int node) {
        return (kept, question, listener) -> {
            if (gone.test(node)) {
                nodesOut.add(node);
                listener.failed(new IllegalStateException("gone"));
            } else {
                shared.ask(kept, question, listener);
            }
        };
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

    /** Plays an outage that all nodes notice, asking for more than there is; what is counted begins with it. */
    private int mostAfter(int count, boolean isUneven, long seed) {
        Random random = new Random(seed);
        List<RateLimiter> nodes = nodes(count, Limit.of(PERMITS, PERIOD), random);
        gone = node -> false;
        run(nodes, isUneven, random, 500);
        admitted.clear();
        gone = node -> true;
        nodesOut.clear();
        while (nodesOut.size() < count) {
            run(nodes, isUneven, random, 1);
        }
        run(nodes, isUneven, random, random.nextInt(3_000));
        gone = node -> false;
        run(nodes, isUneven, random, 4_000);
        return mostInAPeriod();
    }

    /** Two requests each millisecond: of any node, or nearly all of one, and of the others much at once from time to time. */
    private void run(List<RateLimiter> nodes, boolean isUneven, Random random, int millis) {
        for (int i = 0; i < millis; i++) {
            if (!isUneven) {
                ask(nodes.get(random.nextInt(nodes.size())));
                ask(nodes.get(random.nextInt(nodes.size())));
            } else if (random.nextInt(100) > 0) {
                ask(nodes.get(0));
            } else {
                RateLimiter node = nodes.get(random.nextInt(nodes.size()));
                for (int j = 0; j < PERMITS; j++) {
                    ask(node);
                }
            }
            time.advanceBy(Duration.ofMillis(1));
        }
    }

    private void run(List<RateLimiter> nodes, Random random, int millis) {
        run(nodes, false, random, millis);
    }

    @Test
    @DisplayName("a node alone never exceeds the limit from the beginning of an outage on")
    void one() {
        for (long seed = 1; seed <= 100; seed++) {
            assertThat(mostAfter(1, false, seed)).as("seed %s", seed).isEqualTo(PERMITS);
        }
    }

    @Test
    @DisplayName("several nodes, which notice one after the other: no interval sees more than the limit, either")
    void several() {
        for (long seed = 1; seed <= 1_000; seed++) {
            assertThat(mostAfter(4, false, seed)).as("seed %s", seed).isLessThanOrEqualTo(PERMITS);
        }
    }

    @Test
    @DisplayName(
            "a node that is back does not take what others have not used of their shares, but for what these admit until"
                    + " their first probe is answered")
    void uneven() {
        for (long seed = 1; seed <= 500; seed++) {
            int onItsWay = 3; // one request of each of the others, as the store answers at once
            assertThat(mostAfter(4, true, seed)).as("seed %s", seed).isLessThanOrEqualTo(PERMITS + onItsWay);
        }
    }

    @Test
    @DisplayName(
            "if only some nodes are cut off, their shares come on top of the limit, and no longer than that they are")
    void someOnly() {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            List<RateLimiter> nodes = nodes(4, Limit.of(PERMITS, PERIOD), random);
            int cutOff = 1 + random.nextInt(3);
            admitted.clear();
            gone = node -> node < cutOff;
            run(nodes, random, 1_000 + random.nextInt(3_000));
            gone = node -> false;
            run(nodes, random, 1_000);
            assertThat(mostInAPeriod()).as("seed %s", seed).isBetween(PERMITS + 1, PERMITS + cutOff * PERMITS / 4);
            run(nodes, random, 1_000);
            admitted.clear();
            run(nodes, random, 3_000);
            assertThat(mostInAPeriod()).as("seed %s", seed).isEqualTo(PERMITS);
        }
    }

    @Test
    @DisplayName(
            "a node that is back has its share at once, granted by the store, and more when the others have had time to notice")
    void backWithTheShare() {
        Limit limit = Limit.of(PERMITS, Duration.ofHours(1));
        RateLimiter node = nodes(4, limit, new Random(1)).get(0);
        gone = any -> true;
        assertThat(node.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        gone = any -> false;
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(node.tryAcquire(0).isAcquired()).isTrue();
        Lease granted = node.tryAcquire();
        assertThat(granted.source()).isEqualTo(DecisionSource.REMOTE);
        assertThat(node.tryAcquire().isAcquired()).isTrue();
        assertThat(node.availablePermits()).isZero();
        Lease refused = node.tryAcquire();
        assertThat(refused.isAcquired()).isFalse();
        granted.settle(0);
        assertThat(node.availablePermits()).isEqualTo(1);
        assertThat(node.tryAcquire().isAcquired()).isTrue();
        time.advanceBy(refused.retryAfter().orElseThrow());
        assertThat(node.availablePermits()).isEqualTo(PERMITS - 3);
        assertThat(node.tryAcquire(PERMITS - 3).isAcquired()).isTrue();
    }

    @Test
    @DisplayName(
            "nodes that nobody asks any more when the store is back tell it all the same: nobody gets their part again")
    void idle() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            List<RateLimiter> nodes = nodes(4, Limit.of(PERMITS, Duration.ofHours(1)), random);
            admitted.clear();
            gone = node -> true;
            run(nodes, random, 500);
            assertThat(admitted).as("seed %s", seed).hasSize(PERMITS);
            time.advanceBy(Duration.ofMillis(random.nextInt(3_000)));
            gone = node -> false;
            run(nodes.subList(0, 1), random, 4_000);
            assertThat(admitted).as("seed %s", seed).hasSize(PERMITS);
        }
    }

    @Test
    @DisplayName("a request that waits alone is served when the store is back, though none asks")
    void whoWaits() {
        Duration hour = Duration.ofHours(1);
        RateLimiter node = nodes(4, Limit.of(4, hour), new Random(1)).get(0);
        gone = any -> true;
        assertThat(node.acquire().join().source()).isEqualTo(DecisionSource.FALLBACK);
        CompletableFuture<Lease> waiting = node.acquire();
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(waiting).isNotDone();
        gone = any -> false;
        time.advanceBy(Duration.ofSeconds(3));
        assertThat(waiting).isCompletedWithValueMatching(lease -> lease.source() == DecisionSource.REMOTE);
    }
}
