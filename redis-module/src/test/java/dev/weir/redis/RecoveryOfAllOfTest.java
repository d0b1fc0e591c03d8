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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Limits of several kinds in one, and of requests, that come back from an outage: what was admitted alone counts for each of them. */
class RecoveryOfAllOfTest extends OnAServer {

    private static final int MOST = 24;
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTimeSource time = new VirtualTimeSource();

    /** Limits that admit so many requests within an hour, whatever else they bound. */
    static List<Limit> limits() {
        Limit hourly = Limit.of(MOST, HOUR);
        return List.of(
                hourly.countingCalls(),
                Limit.allOf(Limit.tokenBucket(10_000, 10_000, Duration.ofMinutes(1)), hourly.countingCalls()),
                Limit.allOf(Limit.of(6, Duration.ofSeconds(1)), hourly),
                Limit.allOf(
                        Limit.leakyBucket(8, Duration.ofSeconds(1)), hourly.countingCalls(), Limit.of(3 * MOST, HOUR)),
                Limit.allOf(Limit.concurrency(10), hourly),
                Limit.allOf(hourly.countingCalls(), Limit.concurrency(10)));
    }

    private int admitted(List<RateLimiter> nodes, Random random, int millis) {
        int admitted = 0;
        for (int i = 0; i < millis; i += 20) {
            Lease lease = nodes.get(random.nextInt(nodes.size())).tryAcquire();
            admitted += lease.isAcquired() ? 1 : 0;
            lease.close();
            time.advanceBy(Duration.ofMillis(20));
        }
        return admitted;
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("from the beginning of the outage on they admit what they have, and no more")
    void noMore(Limit limit) {
        for (int count : new int[] {1, 3}) {
            for (long seed = 1; seed <= 5; seed++) {
                host.flush();
                Random random = new Random(seed);
                ServerInVirtualTime server = new ServerInVirtualTime(host, time, Duration.ofMillis(1));
                RedisOptions options = RedisOptions.defaults().expectedNodes(count);
                List<RateLimiter> nodes = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    nodes.add(Nodes.on(server, options, Nodes.node(random))
                            .builder("several", limit)
                            .timeSource(time)
                            .build());
                }
                server.isGone();
                int alone = admitted(nodes, random, 500 + random.nextInt(2_500));
                server.answersWithin(Duration.ofMillis(1));
                int after = admitted(nodes, random, 15_000);
                String what = count + " nodes, seed " + seed + ", " + alone + " of them alone";
                assertThat(alone).as(what).isPositive();
                assertThat(alone + after).as(what).isEqualTo(MOST);
                nodes.forEach(RateLimiter::close);
            }
        }
    }

    /** Limits of ten a second, of which all of some seconds may be used at once or one by one. */
    static List<Limit> tenASecond() {
        Duration period = Duration.ofSeconds(4);
        return List.of(Limit.tokenBucket(40, 40, period), Limit.leakyBucket(40, period), Limit.of(40, period));
    }

    /** For requests of one permit the same limit, counted part by part. */
    private static List<Limit> same(Limit limit) {
        Limit wide = Limit.of(1_000, Duration.ofSeconds(1));
        return List.of(Limit.allOf(wide, limit), limit.countingCalls(), Limit.allOf(wide, limit.countingCalls()));
    }

    private List<RateLimiter> nodes(int count, Limit limit, ServerInVirtualTime server, Random random) {
        List<RateLimiter> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(Nodes.on(server, RedisOptions.defaults().expectedNodes(count), Nodes.node(random))
                    .builder("several", limit)
                    .timeSource(time)
                    .build());
        }
        return nodes;
    }

    @ParameterizedTest
    @MethodSource("tenASecond")
    @DisplayName(
            "what time has repaid keeps nobody waiting after an outage: a node with little to do serves all at once")
    void longRepaid(Limit limit) {
        for (Limit kept : same(limit)) {
            host.flush();
            ServerInVirtualTime server = new ServerInVirtualTime(host, time, Duration.ofMillis(1));
            RateLimiter node = nodes(1, kept, server, new Random(1)).get(0);
            server.isGone();
            for (int request = 0; request < 100; request++) {
                if (request == 80) {
                    server.answersWithin(Duration.ofMillis(1));
                }
                CompletableFuture<Lease> lease = node.acquireWithin(1, Duration.ofMillis(50));
                time.advanceBy(Duration.ofMillis(200));
                assertThat(lease.join().isAcquired())
                        .as("request %d of %s", request, kept)
                        .isTrue();
            }
            assertThat(node.tryAcquire(0).source()).isEqualTo(DecisionSource.REMOTE);
            node.close();
        }
    }

    /** Plays outages to nodes that all want more than there is; returns what they admit in the time after them. */
    private int afterOutages(Limit limit) {
        int after = 0;
        for (long seed = 1; seed <= 4; seed++) {
            host.flush();
            Random random = new Random(seed);
            ServerInVirtualTime server = new ServerInVirtualTime(host, time, Duration.ofMillis(1));
            List<RateLimiter> nodes = nodes(8, limit, server, random);
            server.isGone();
            int unused = admitted(nodes, random, 8_000);
            server.answersWithin(Duration.ofMillis(1));
            after += admitted(nodes, random, 12_000);
            nodes.forEach(RateLimiter::close);
        }
        return after;
    }

    @ParameterizedTest
    @MethodSource("tenASecond")
    @DisplayName("nodes that used all of their shares go on after it as with that limit alone")
    void noStandstill(Limit limit) {
        int alone = afterOutages(limit);
        assertThat(alone).isGreaterThan(4 * 40);
        for (Limit kept : same(limit)) {
            assertThat(afterOutages(kept)).as("%s", kept).isBetween(alone * 4 / 5, alone * 5 / 4);
        }
    }

    /** Pairs of a limit that recovers within a minute and one that does not. */
    static List<Arguments> quickAndHourly() {
        List<Arguments> all = new ArrayList<>();
        for (Limit quick : List.of(
                Limit.of(10, Duration.ofSeconds(1)),
                Limit.leakyBucket(60, Duration.ofMinutes(1)),
                Limit.tokenBucket(5, 5, Duration.ofSeconds(1)))) {
            for (WhenUnavailable choice : WhenUnavailable.values()) {
                all.add(Arguments.of(Limit.allOf(quick, Limit.of(MOST, HOUR)), choice));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("quickAndHourly")
    @DisplayName("a charge counts for the part that still counts it, though another part does no more")
    void chargedToEach(Limit limit, WhenUnavailable choice) {
        host.flush();
        ServerInVirtualTime server = new ServerInVirtualTime(host, time, Duration.ofMillis(1));
        RateLimiter limiter = Nodes.on(server, RedisOptions.defaults().whenUnavailable(choice))
                .builder("charged", limit)
                .timeSource(time)
                .build();
        server.isGone();
        int alone = limiter.tryAcquire().isAcquired() ? 1 : 0;
        limiter.charge(MOST / 2);
        time.advanceBy(Duration.ofMinutes(2));
        server.answersWithin(Duration.ofMillis(1));
        CompletableFuture<Lease> probe = limiter.acquire(0);
        time.advanceBy(Duration.ofSeconds(2));
        assertThat(probe).isDone();

        int after = 0;
        CompletableFuture<Lease> asked = limiter.acquire();
        for (int second = 0; second < 300; second++) {
            time.advanceBy(Duration.ofSeconds(1));
            if (asked.isDone()) {
                after++;
                asked = limiter.acquire();
            }
        }
        assertThat(alone + after).isEqualTo(MOST - MOST / 2);
        limiter.close();
    }
}
