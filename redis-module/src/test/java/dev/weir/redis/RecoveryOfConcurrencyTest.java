package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A limit of concurrency that comes back from an outage: the server hears of what nodes hold alone from one after the other. */
class RecoveryOfConcurrencyTest extends OnAServer {

    private static final int SEEDS = 20;
    private static final int PERMITS = 12;
    private static final int NODES = 4;
    private static final long MILLI = 1_000_000;
    private static final long TRIP_NANOS = MILLI;
    private static final long CALL_NANOS = 200 * MILLI;

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final List<Lease> held = new ArrayList<>();
    private final List<Caller> callers = new ArrayList<>();
    private final List<Integer> inUse = new ArrayList<>();
    private Random random = new Random(1);
    private boolean isGone;
    private boolean isOver;

    @BeforeEach
    void isThere() {
        host.flush();
    }

    private List<RateLimiter> nodes(int expected) {
        return nodes(expected, Limit.concurrency(PERMITS));
    }

    private List<RateLimiter> nodes(int expected, Limit limit) {
        NodeSettings settings = new TestSettings()
                .pollNanos(100 * MILLI)
                .renewNanos(ScriptHost.LEASE.toNanos() / NodeSettings.RENEWALS)
                .nodes(expected)
                .build();
        List<RateLimiter> nodes = new ArrayList<>();
        for (int i = 0; i < expected; i++) {
            Store server = new DistantStore(new ScriptStore(host, "slots", time, "node" + i), time, TRIP_NANOS);
            Store way = (kept, question, listener) -> {
                if (isGone) {
                    listener.failed(new IllegalStateException("gone"));
                } else {
                    server.ask(kept, question, listener);
                }
            };
            nodes.add(ModelFleet.builder(limit, way, Nodes.node(random), settings)
                    .timeSource(time)
                    .build());
        }
        return nodes;
    }

    /** Has some node or other try for a permit every 20 ms, and keep it. */
    private void tryAndKeep(List<RateLimiter> nodes, int millis, String what) {
        for (int i = 0; i < millis; i += 20) {
            Lease lease = nodes.get(random.nextInt(nodes.size())).tryAcquire();
            if (lease.isAcquired()) {
                held.add(lease);
            }
            assertThat(held).as(what).hasSizeLessThanOrEqualTo(PERMITS);
            time.advanceBy(Duration.ofMillis(20));
        }
    }

    @Test
    @DisplayName(
            "what all hold is the limit: the first that is back gets nothing that others have taken of their shares")
    void noMore() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            random = new Random(seed);
            String what = "seed " + seed;
            host.flush();
            held.clear();
            List<RateLimiter> nodes = nodes(NODES);
            isGone = true;
            tryAndKeep(nodes, 4_000 + random.nextInt(1_000), what);
            assertThat(held).as(what).hasSize(PERMITS);
            isGone = false;
            tryAndKeep(nodes, 5_000, what);
            held.forEach(Lease::close);
            time.advanceBy(Duration.ofSeconds(1));
            CompletableFuture<Lease> all = nodes.get(0).acquire(PERMITS);
            time.advanceBy(Duration.ofMillis(10));
            assertThat(all).as(what).isCompletedWithValueMatching(Lease::isAcquired);
            nodes.forEach(RateLimiter::close);
        }
    }

    @Test
    @DisplayName(
            "a node that is back has its share, and what the server has left when the others have had the time to probe")
    void shareFirst() {
        RateLimiter node = nodes(NODES).get(0);
        isGone = true;
        assertThat(node.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        isGone = false;
        time.advanceBy(Duration.ofMillis(1_001));
        List<Lease> told = new ArrayList<>();
        for (int i = 0; i < PERMITS - 1; i++) {
            node.acquire(1, told::add);
        }
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(told).hasSize(PERMITS / NODES - 1).allMatch(lease -> lease.source() == DecisionSource.REMOTE);
        told.get(0).close();
        time.advanceBy(Duration.ofMillis(10));
        assertThat(told).as("one for another").hasSize(PERMITS / NODES);
        time.advanceBy(Duration.ofMillis(100));
        assertThat(told).hasSize(PERMITS - 1).allMatch(Lease::isAcquired);
    }

    @Test
    @DisplayName("a node that expects no others has all that is left with the first answer")
    void alone() {
        RateLimiter node = nodes(1).get(0);
        isGone = true;
        assertThat(node.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        isGone = false;
        time.advanceBy(Duration.ofMillis(1_001));
        List<Lease> told = new ArrayList<>();
        node.acquire(PERMITS - 1, told::add);
        time.advanceBy(Duration.ofMillis(10));
        assertThat(told)
                .singleElement()
                .satisfies(lease -> assertThat(lease.source()).isEqualTo(DecisionSource.REMOTE));
    }

    /** Waits for a permit of a node, has it for a while, and asks again. */
    private final class Caller {

        private final RateLimiter node;
        private long servedNanos;

        Caller(RateLimiter node) {
            this.node = node;
            later(random.nextLong(CALL_NANOS), this::ask);
        }

        private void ask() {
            node.acquire(1, lease -> {
                servedNanos = time.nanoTime();
                nowInUse(1);
                later(CALL_NANOS, () -> end(lease));
            });
        }

        private void end(Lease lease) {
            nowInUse(-1);
            lease.close();
            if (!isOver) {
                ask();
            }
        }
    }

    private void later(long nanos, Runnable task) {
        TimeSource.Cancellable unused = time.schedule(task, nanos);
    }

    private void nowInUse(int more) {
        inUse.add((inUse.isEmpty() ? 0 : inUse.get(inUse.size() - 1)) + more);
    }

    private int mostSince(int moment) {
        return inUse.subList(moment, inUse.size()).stream()
                .mapToInt(Integer::intValue)
                .max()
                .orElseThrow();
    }

    @Test
    @DisplayName("the same with calls that wait; all of the limit is used again, and nobody is left waiting")
    void calls() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            random = new Random(seed);
            String what = "seed " + seed;
            host.flush();
            inUse.clear();
            callers.clear();
            isOver = false;
            for (RateLimiter node : nodes(NODES)) {
                for (int i = 0; i < 5; i++) {
                    callers.add(new Caller(node));
                }
            }
            isGone = true;
            time.advanceBy(Duration.ofMillis(500 + random.nextInt(3_000)));
            isGone = false;
            time.advanceBy(Duration.ofSeconds(4));
            assertThat(mostSince(0)).as(what).isEqualTo(PERMITS);
            int back = inUse.size();
            long backNanos = time.nanoTime();
            time.advanceBy(Duration.ofSeconds(4));
            assertThat(mostSince(back)).as(what).isEqualTo(PERMITS);
            assertThat(callers).as(what).allMatch(caller -> caller.servedNanos > backNanos);
            isOver = true;
            time.advanceBy(Duration.ofSeconds(10));
            assertThat(inUse.get(inUse.size() - 1)).as(what).isZero();
        }
    }

    private static List<Limit> ofConcurrency() {
        Limit limit = Limit.concurrency(PERMITS);
        return List.of(
                limit,
                limit.countingCalls(),
                Limit.allOf(limit, Limit.concurrency(PERMITS).countingCalls()));
    }

    @ParameterizedTest
    @MethodSource("ofConcurrency")
    @DisplayName(
            "without the server, a node that held more than its share has just its share once that many have ended")
    void heldMoreThanItsShare(Limit limit) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            random = new Random(seed);
            String what = "seed " + seed;
            host.flush();
            inUse.clear();
            isOver = false;
            List<RateLimiter> nodes = nodes(NODES, limit);
            for (int i = 0; i < PERMITS + 4; i++) {
                callers.add(new Caller(nodes.get(0)));
            }
            time.advanceBy(Duration.ofSeconds(1));
            assertThat(mostSince(0)).as(what).isEqualTo(PERMITS);
            isGone = true;
            time.advanceBy(Duration.ofNanos(
                    7 * CALL_NANOS)); // all that were held, and those after them up to the share, end by then
            int alone = inUse.size();
            time.advanceBy(Duration.ofSeconds(3));
            assertThat(mostSince(alone)).as(what).isEqualTo(PERMITS / NODES);
            assertThat(inUse.size() - alone).as("begun and ended, %s", what).isGreaterThan(2 * PERMITS / NODES * 13);
            isGone = false;
            time.advanceBy(Duration.ofSeconds(4));
            assertThat(mostSince(alone)).as(what).isEqualTo(PERMITS);
            isOver = true;
            time.advanceBy(Duration.ofSeconds(10));
            assertThat(inUse.get(inUse.size() - 1)).as(what).isZero();
            nodes.forEach(RateLimiter::close);
        }
    }
}
