package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A limit of concurrency whose nodes always have more calls than it has room: each gets some, and nobody waits for ever. */
class SharesOfConcurrencyTest extends ScriptsOnAServer {

    private static final long MILLI = DistantNodes.MILLI;
    private static final Duration LASTING = Duration.ofSeconds(20);

    private final DistantNodes fleet = new DistantNodes();
    private Random random = new Random(1);
    private long inUse;
    private long mostInUse;
    private boolean isOver;

    /** Calls that are made on one node, one after the other by each of its callers. */
    private final class Calls {

        private final RateLimiter node;
        private final int permits;
        private final long holdNanos;
        private long granted;
        private long longestNanos;

        Calls(RateLimiter node, int callers, int permits, long holdNanos) {
            this.node = node;
            this.permits = permits;
            this.holdNanos = holdNanos;
            for (int caller = 0; caller < callers; caller++) {
                fleet.later(random.nextInt(100) * MILLI, this::call);
            }
        }

        private void call() {
            long asked = fleet.nanoTime();
            node.acquire(permits, lease -> {
                longestNanos = Math.max(longestNanos, fleet.nanoTime() - asked);
                granted++;
                inUse += permits;
                mostInUse = Math.max(mostInUse, inUse);
                fleet.later(holdNanos, () -> end(lease));
            });
        }

        private void end(Lease lease) {
            inUse -= permits;
            lease.close();
            if (!isOver) {
                call();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @DisplayName("each node has its share, however short or long calls are, and nobody waits for long")
    void shares(long seed) {
        for (long hold : List.of(50, 200, 1_000)) {
            for (int nodes : List.of(2, 4)) {
                random = new Random(seed);
                mostInUse = 0;
                isOver = false;
                int room = 4;
                String what = "%d nodes, calls of %d ms, seed %d".formatted(nodes, hold, seed);
                List<Calls> calls = new ArrayList<>();
                for (int node = 0; node < nodes; node++) {
                    calls.add(new Calls(node(Limit.concurrency(room), what, node), 5, 1, hold * MILLI));
                }
                fleet.advance(LASTING);
                long all = calls.stream().mapToLong(of -> of.granted).sum();
                assertThat(mostInUse).as(what).isEqualTo(room);
                assertThat(all).as(what).isGreaterThan(room * LASTING.toMillis() / hold * 7 / 10);
                assertThat(calls).as(what).allSatisfy(of -> {
                    assertThat(of.granted).isGreaterThan(all / nodes / 3);
                    assertThat(of.longestNanos).isLessThan(9_000 * MILLI);
                });
                isOver = true;
                fleet.advance(LASTING);
                assertThat(inUse).as(what).isZero();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 10})
    @DisplayName("a large request is granted though others always take the few permits that become free")
    void large(int permits) {
        Calls small = new Calls(node(Limit.concurrency(10), "large" + permits, 0), 15, 1, 100 * MILLI);
        Calls large = new Calls(node(Limit.concurrency(10), "large" + permits, 1), 1, permits, 100 * MILLI);
        fleet.advance(LASTING);
        assertThat(mostInUse).isEqualTo(10);
        assertThat(large.granted).isGreaterThan(10);
        assertThat(large.longestNanos).isLessThan(1_500 * MILLI);
        assertThat(small.granted + permits * large.granted).isGreaterThan(1_700); // of 2,000
    }

    private RateLimiter node(Limit limit, String tag, int number) {
        return fleet.node(limit, fleet.store(host, tag, "node" + number), tag);
    }
}
