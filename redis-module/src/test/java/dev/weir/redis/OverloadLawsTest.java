package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** More ask than a limit has, on several nodes, and nobody waits for long: what there is is used all the same, and goes on to be. */
class OverloadLawsTest extends ScriptsOnAServer {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LASTING = Duration.ofSeconds(4);
    private static final long MILLI = DistantNodes.MILLI;

    /** Each lets about twenty a second pass. Who leaves, leaves a place that others find. */
    static List<Limit> buckets() {
        return List.of(
                Limit.leakyBucket(20, SECOND),
                Limit.leakyBucket(20, SECOND).withSlack(3),
                Limit.tokenBucket(1, 20, SECOND),
                Limit.tokenBucket(2, 20, SECOND),
                Limit.tokenBucket(4, 20, SECOND),
                Limit.tokenBucket(20, 20, SECOND));
    }

    /** The same, but nobody comes before those who have booked. */
    static List<Limit> windows() {
        return List.of(
                Limit.tokenBucket(4, 4, SECOND.dividedBy(5)).refillingInSteps(),
                Limit.of(4, SECOND.dividedBy(5)),
                Limit.fixedWindow(4, SECOND.dividedBy(5)));
    }

    static List<Limit> several() {
        return List.of(Limit.allOf(Limit.tokenBucket(4, 20, SECOND), Limit.of(100, SECOND)));
    }

    private final DistantNodes fleet = new DistantNodes();
    private final List<Long> grantedNanos = new ArrayList<>();
    private Random random = new Random(1);
    private boolean isOver;
    private int overloads;

    @ParameterizedTest
    @MethodSource({"buckets", "windows", "several"})
    @DisplayName("a request refused for its bound does not delay the next permit")
    void boundedWaits(Limit limit) {
        for (int patience : List.of(20, 60, 150)) {
            overload(limit, 48, (node, goOn) -> {
                PermitRequest unused = node.acquire(1, Duration.ofMillis(patience), lease -> hear(lease, goOn));
            });
        }
    }

    @ParameterizedTest
    @MethodSource({"buckets", "windows", "several"})
    @DisplayName("a request refused for a bound of zero does not delay the next permit")
    void neverDelayed(Limit limit) {
        overload(limit, 48, (node, goOn) -> {
            PermitRequest unused = node.acquire(1, Duration.ZERO, lease -> hear(lease, goOn));
        });
    }

    @ParameterizedTest
    @MethodSource("buckets")
    @DisplayName("a request that leaves gives its place to the next one")
    void placesThatAreLeft(Limit limit) {
        leaving(limit, 36);
    }

    @ParameterizedTest
    @MethodSource("windows")
    @DisplayName("a request that leaves a window costs others some permits, and not all")
    void behindThoseWhoBooked(Limit limit) {
        leaving(limit, 15);
    }

    @Test
    @DisplayName("a request without the time of a slow answer asks again soon, and is booked before others")
    void afterSlowAnswers() {
        Limit limit = Limit.leakyBucket(5, SECOND);
        DistantStore slow = fleet.store(host, "slow", "node");
        RateLimiter node = fleet.node(limit, slow, "node");
        RateLimiter rival = fleet.node(limit, fleet.store(host, "slow", "node"), "rival");
        slow.isFromNowOnAway(40 * MILLI);
        node.acquire(1, this::note); // decided at 20 ms, heard of at 40
        fleet.advance(Duration.ofMillis(40));
        node.acquire(1, Duration.ofMillis(230), this::note); // decided at 60 ms: it would be 160, and 150 are booked
        fleet.advance(Duration.ofMillis(40));
        slow.isFromNowOnAway(DistantNodes.TRIP_NANOS);
        fleet.advance(Duration.ofMillis(110));
        List<Long> ofTheRival = new ArrayList<>();
        rival.acquire(1, lease -> ofTheRival.add(fleet.nanoTime()));
        fleet.advance(Duration.ofMillis(300));
        assertThat(grantedNanos).hasSize(2);
        assertThat(grantedNanos.get(1)).isBetween(220 * MILLI, 230 * MILLI);
        assertThat(ofTheRival).hasSize(1);
        assertThat(ofTheRival.get(0)).isGreaterThan(420 * MILLI);
    }

    private void leaving(Limit limit, long least) {
        for (int patience : List.of(20, 60, 150)) {
            overload(limit, least, (node, goOn) -> {
                PermitRequest request = node.acquire(1, lease -> hear(lease, goOn));
                fleet.later(patience * MILLI, () -> {
                    if (request.cancel()) {
                        goOn.run();
                    }
                });
            });
        }
    }

    /** One to three callers on each of four nodes, who ask again and again; then nobody, and at last one. */
    private void overload(Limit limit, long least, Asking asking) {
        for (int callers = 1; callers <= 3; callers++) {
            long seed = callers;
            random = new Random(seed);
            grantedNanos.clear();
            isOver = false;
            String tag = "overload" + ++overloads;
            List<RateLimiter> nodes = IntStream.range(0, 4)
                    .mapToObj(node -> fleet.node(limit, fleet.store(host, tag, "node"), "node" + node))
                    .toList();
            long begin = fleet.nanoTime();
            for (RateLimiter node : nodes) {
                for (int caller = 0; caller < callers; caller++) {
                    fleet.later(random.nextInt(20) * MILLI, () -> askAgain(node, asking));
                }
            }
            fleet.advance(LASTING);
            String what = limit + " with " + callers + " callers, seed " + seed;
            long inTheSteady = grantedNanos.stream()
                    .filter(at -> at - begin > LASTING.toNanos() / 4)
                    .count();
            assertThat(inTheSteady).as(what).isBetween(least, 66L); // three seconds of twenty, and what was late before
            isOver = true;
            fleet.advance(Duration.ofMillis(700));
            long asked = fleet.nanoTime();
            grantedNanos.clear();
            nodes.get(0).acquire(1, this::note);
            fleet.advance(Duration.ofMillis(260));
            assertThat(grantedNanos).as("after %s", what).hasSize(1);
            assertThat(grantedNanos.get(0) - asked).as("after %s", what).isLessThan(205 * MILLI);
            nodes.forEach(RateLimiter::close);
        }
    }

    private void askAgain(RateLimiter node, Asking asking) {
        if (!isOver) {
            asking.ask(node, () -> fleet.later((5 + random.nextInt(20)) * MILLI, () -> askAgain(node, asking)));
        }
    }

    private void hear(Lease lease, Runnable goOn) {
        note(lease);
        goOn.run();
    }

    private void note(Lease lease) {
        if (lease.isAcquired()) {
            grantedNanos.add(fleet.nanoTime());
        }
    }

    /** Asks once, and goes on when answered, or when gone. */
    private interface Asking {
        void ask(RateLimiter node, Runnable goOn);
    }
}
