package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Limiters that nobody uses any more, as when others have replaced them. */
class DroppedLimitersRealTimeTest {

    private static final Limit LIMIT = Limit.of(1, Duration.ofHours(1));

    /** Answers that there is no permit, and that time does not tell when. */
    private final Commands commands = (script, keys, arguments, listener) -> listener.replied("1 0 -1 0 -1 -1 -1");

    private final RedisRateLimiters fleet =
            Nodes.on(commands, RedisOptions.defaults().deadline(Duration.ofHours(1)));

    private List<WeakReference<?>> made() {
        RateLimiter one = fleet.limiter("one", LIMIT);
        PartitionedRateLimiter<String> many = fleet.partitioned("many", LIMIT);
        Lease unused = one.tryAcquire();
        unused = many.tryAcquire("key", 1);
        return List.of(new WeakReference<>(one), new WeakReference<>(many));
    }

    private static void awaitGone(WeakReference<?> limiter) {
        await().until(() -> {
            System.gc();
            return limiter.get() == null;
        });
    }

    @Test
    @DisplayName("a dropped limiter is not kept by what made it")
    void dropped() {
        made().forEach(DroppedLimitersRealTimeTest::awaitGone);
        fleet.close();
    }

    private static long usedBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    @DisplayName("nothing is left of dropped limiters, however many they were, when others are made")
    void manyDropped() {
        int many = 190_000; // for which a set that held them all would not have grown once more
        long before = usedBytes();
        for (int i = 0; i < many; i++) {
            RateLimiter unused = fleet.limiter("one", LIMIT);
        }
        await().until(() -> {
            RateLimiter unused = fleet.limiter("one", LIMIT);
            return usedBytes() - before < 40L * many; // a reference and its place in a set take 70
        });
        fleet.close();
    }

    @Test
    @DisplayName("what a node knows about servers by a clock goes with the clock, when another comes")
    void droppedClock() {
        Servers servers = Nodes.node().servers;
        WeakReference<?> ofDropped = new WeakReference<>(servers.of(new VirtualTimeSource()));
        await().until(() -> {
            System.gc();
            Object unused = servers.of(new VirtualTimeSource());
            return ofDropped.refersTo(null);
        });
    }

    private CompletableFuture<Lease> waiting() {
        return fleet.limiter("waited for", Limit.concurrency(1)).acquire();
    }

    @Test
    @DisplayName("a dropped limiter with a waiting request is closed with the others")
    void waitedFor() {
        CompletableFuture<Lease> waiting = waiting();
        made().forEach(DroppedLimitersRealTimeTest::awaitGone);
        assertThat(waiting).isNotDone();
        fleet.close();
        await().until(waiting::isDone);
        assertThat(waiting.join().reason()).contains(RefusalReason.CLOSED);
    }
}
