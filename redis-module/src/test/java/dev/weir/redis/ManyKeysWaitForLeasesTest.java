package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests wait on a node for leases of very many keys that another node holds: the node asks for all, and nobody else is held up. */
class ManyKeysWaitForLeasesTest extends OnAServer {

    private static final int MANY = 3_000;
    private static final int FEW = 180;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final BusyServer server = new BusyServer(host, time);
    private final RedisRateLimiters here = node(1);
    private final RedisRateLimiters elsewhere = node(2);

    private RedisRateLimiters node(long seed) {
        return Nodes.on(server, RedisOptions.defaults(), Nodes.node(new Random(seed)));
    }

    @BeforeEach
    void beginWithNothing() {
        host.flush();
    }

    @AfterEach
    void close() {
        here.close();
        elsewhere.close();
    }

    private PartitionedRateLimiter<String> calls(RedisRateLimiters node, QueueOrder order) {
        return node.partitionedBuilder("calls", user -> Limit.concurrency(1))
                .queueOrder(order)
                .timeSource(time)
                .build();
    }

    private List<CompletableFuture<Lease>> one(RedisRateLimiters node, int keys, QueueOrder order) {
        PartitionedRateLimiter<String> calls = calls(node, order);
        return IntStream.range(0, keys)
                .mapToObj(user -> {
                    time.advanceBy(Duration.ofNanos(400_000));
                    return calls.forKey("user " + user).acquire();
                })
                .toList();
    }

    private List<Lease> held(int keys) {
        List<CompletableFuture<Lease>> asked = one(elsewhere, keys, QueueOrder.OLDEST_FIRST);
        time.advanceBy(Duration.ofMillis(10));
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private List<DecisionSource> sourcesOfOthers(int calls) {
        RateLimiter other =
                here.builder("other", Limit.of(1_000, SECOND)).timeSource(time).build();
        List<DecisionSource> sources = new ArrayList<>();
        for (int call = 0; call < calls; call++) {
            CompletableFuture<Lease> lease = other.acquireWithin(1, Duration.ZERO);
            time.advanceBy(Duration.ofMillis(60));
            sources.add(lease.join().source());
        }
        return sources;
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("the node's other decisions are the store's, which it asks no more than two thousand times a second")
    void othersAreNotHeldUp(QueueOrder order) {
        List<Lease> held = held(MANY);
        List<CompletableFuture<Lease>> waiting = one(here, MANY, order);
        int before = server.asked;
        assertThat(sourcesOfOthers(50)).containsOnly(DecisionSource.REMOTE);
        int renewals = MANY;
        assertThat(server.asked - before).isLessThan(3 * 2_000 + 200 + renewals + 50);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        assertThat(held).allMatch(Lease::isAcquired);
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName(
            "each is asked for in its turn: once all leases are closed, every request has one as soon as all have asked")
    void allInTurn(QueueOrder order) {
        List<Lease> held = held(MANY);
        List<CompletableFuture<Lease>> waiting = one(here, MANY, order);
        time.advanceBy(SECOND);
        held.forEach(lease -> {
            lease.close();
            time.advanceBy(Duration.ofNanos(400_000));
        });
        time.advanceBy(Duration.ofNanos(MANY * Polls.ONE_NANOS).plusMillis(100));
        assertThat(waiting).allMatch(CompletableFuture::isDone);
        assertThat(waiting.stream().map(each -> each.join().source())).containsOnly(DecisionSource.REMOTE);
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("with less than two hundred keys, each is asked for after 100 ms")
    void fewAskAsSoonAsTheyLike(QueueOrder order) {
        List<Lease> held = held(FEW);
        List<CompletableFuture<Lease>> waiting = one(here, FEW, order);
        time.advanceBy(SECOND);
        for (int user = 0; user < FEW; user++) {
            held.get(user).close();
            time.advanceBy(Duration.ofMillis(103));
            assertThat(waiting.get(user)).as("user %d", user).isDone();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 50})
    @DisplayName("a request that does not wait until the next poll takes no turn of those that do")
    void whoDoesNotWaitForAPoll(int boundMillis) {
        List<Lease> held = held(MANY);
        PartitionedRateLimiter<String> calls = calls(here, QueueOrder.OLDEST_FIRST);
        CompletableFuture<Lease> waiting = calls.forKey("user 0").acquire();
        for (int call = 0; call < 3 * MANY; call++) {
            time.advanceBy(Duration.ofNanos(250_000));
            CompletableFuture<Lease> unused =
                    calls.forKey("user " + (1 + call % (MANY - 1))).acquireWithin(1, Duration.ofMillis(boundMillis));
        }
        held.get(0).close();
        time.advanceBy(Duration.ofMillis(103));
        assertThat(waiting).isDone();
    }

    /** Rejects the tasks of more than a trip's deadline, as many as it is told. */
    private final class RejectingTime implements TimeSource {

        private int rejects;

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            if (delayNanos > 60_000_000 && rejects > 0) {
                rejects--;
                throw new RejectedExecutionException();
            }
            return time.schedule(task, delayNanos);
        }
    }

    @Test
    @DisplayName("a request whose poll's timer is rejected is asked for all the same")
    void rejectedTimer() {
        List<Lease> held = held(1);
        RejectingTime rejecting = new RejectingTime();
        RateLimiter calls = here.partitionedBuilder("calls", user -> Limit.concurrency(1))
                .timeSource(rejecting)
                .build()
                .forKey("user 0");
        rejecting.rejects = 1;
        CompletableFuture<Lease> waiting = calls.acquire();
        time.advanceBy(Duration.ofMillis(50));
        held.get(0).close();
        time.advanceBy(Duration.ofMillis(200));
        assertThat(waiting).as("its poll was rejected").isNotDone();
        time.advanceBy(Duration.ofNanos(Polls.LONGEST_NANOS));
        assertThat(rejecting.rejects).isZero();
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }
}
