package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.TokenBucket;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Nodes that lease ahead, on one store, in virtual time: how much more than the limit they may use, and how seldom they ask. */
class LeaseAheadLawsTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final Duration NANO = Duration.ofNanos(1);
    private static final int STEPS = 400;
    private static final int SEEDS = 150;

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final List<ManualStore> ways = new ArrayList<>();
    private final List<RateLimiter> nodes = new ArrayList<>();

    /** When permits were used. */
    private final List<Long> used = new ArrayList<>();

    /** Makes nodes that wait for answers as long as it takes; what is decided without them is refused. */
    private void makeNodes(int count, Limit limit, int ahead) {
        makeNodes(count, limit, ahead, 1); // nothing is kept for later but what is leased
    }

    private void makeNodes(int count, Limit limit, int ahead, long lifeNanos) {
        ModelStore shared = new ModelStore(limit, time);
        NodeSettings settings = new TestSettings()
                .deadlineNanos(10 * PERIOD.toNanos())
                .lifeNanos(lifeNanos)
                .slackNanos(0)
                .leaseAhead(ahead)
                .whenUnavailable(WhenUnavailable.REFUSE)
                .build();
        for (int i = 0; i < count; i++) {
            ManualStore way = new ManualStore(shared);
            ways.add(way);
            nodes.add(ModelFleet.builder(limit, way, settings).timeSource(time).build());
        }
    }

    private void use(Lease lease) {
        for (int i = 0; lease.isAcquired() && i < lease.permits(); i++) {
            used.add(time.nanoTime());
        }
    }

    private void checkBound(int most, String about) {
        for (int i = most; i < used.size(); i++) {
            assertThat(used.get(i) - used.get(i - most))
                    .as("%s: %d permits up to the one of %d", about, most + 1, used.get(i))
                    .isGreaterThanOrEqualTo(PERIOD.toNanos());
        }
    }

    @Test
    @DisplayName("no interval of a period sees more than the bound of the limit and what all nodes may have in hand")
    void bound() {
        long permitsUsed = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(4);
            int permits = 1 + random.nextInt(12);
            int ahead = 1 + random.nextInt(permits);
            boolean bucket = random.nextInt(3) == 0;
            Limit limit = bucket ? Limit.tokenBucket(permits, permits, PERIOD) : Limit.of(permits, PERIOD);
            play(random, count, limit, ahead);
            int inOnePeriod = limit instanceof TokenBucket ? 2 * permits : permits;
            checkBound(
                    inOnePeriod + count * ahead,
                    "seed " + seed + ", " + count + " nodes, " + limit + ", " + ahead + " ahead");
            permitsUsed += used.size();
            nodes.forEach(RateLimiter::close);
            nodes.clear();
            ways.clear();
            used.clear();
        }
        assertThat(permitsUsed).isGreaterThan(5_000);
    }

    /** Tries, waits, leaves, late answers and time that goes by, in any order. */
    private void play(Random random, int count, Limit limit, int ahead) {
        makeNodes(count, limit, ahead);
        List<PermitRequest> waiting = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            RateLimiter node = nodes.get(random.nextInt(count));
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> use(node.tryAcquire(1 + random.nextInt(Math.min(3, limit.capacity()))));
                case 3 -> waiting.add(node.acquire(1 + random.nextInt(limit.capacity()), this::use));
                case 4 -> waiting.forEach(PermitRequest::cancel);
                case 5, 6, 7 -> ways.get(random.nextInt(count)).answerAll();
                default -> time.advanceBy(Duration.ofNanos(random.nextInt((int) PERIOD.toNanos() / 4)));
            }
        }
    }

    @Test
    @DisplayName("requests larger than what is leased ahead keep the bound: nothing is fetched ahead for them")
    void largeRequests() {
        int permits = 100;
        int ahead = 10;
        makeNodes(2, Limit.tokenBucket(permits, permits, PERIOD), ahead);
        RateLimiter node = nodes.get(0);
        use(node.tryAcquire(50));
        ways.get(0).answerAll();
        use(node.tryAcquire(50));
        ways.get(0).answerAll();
        time.advanceBy(PERIOD);
        for (RateLimiter each : nodes) {
            for (int i = 0; i < 4; i++) {
                use(each.tryAcquire(50));
                ways.forEach(ManualStore::answerAll);
            }
        }
        long now = time.nanoTime();
        assertThat(used.stream().filter(at -> at == now))
                .as("permits of a full bucket, in one instant")
                .hasSizeBetween(permits, permits + 2 * ahead);
    }

    @Test
    @DisplayName("a fleet that leases ahead reaches its bound in some interval")
    void boundIsReached() {
        int permits = 10;
        int ahead = 5;
        makeNodes(2, Limit.of(permits, PERIOD), ahead);
        nodes.forEach(node -> use(node.tryAcquire()));
        ways.forEach(ManualStore::answerAll);
        time.advanceBy(PERIOD.minus(NANO));
        for (RateLimiter node : nodes) {
            for (int i = 0; i < ahead; i++) {
                use(node.tryAcquire());
            }
        }
        assertThat(used).as("all that was in hand, in its last moment").hasSize(2 * ahead);
        ways.forEach(ManualStore::answerAll);
        time.advanceBy(NANO);
        nodes.get(0).acquire(permits, this::use);
        ways.get(0).answerAll();
        time.advanceBy(Duration.ZERO);
        ways.get(0).answerAll();
        time.advanceBy(Duration.ZERO);
        assertThat(used).hasSize(permits + 2 * ahead);
        checkBound(permits + 2 * ahead, "reached");
    }

    @Test
    @DisplayName("a lease ahead under another limit ends with its period, and is no more than it has")
    void changed() {
        makeNodes(1, Limit.tokenBucket(100, 100, PERIOD.multipliedBy(3600)), 50);
        RateLimiter node = nodes.get(0);
        use(node.tryAcquire());
        ways.get(0).answerAll();
        node.reconfigure(Limit.tokenBucket(10, 10, PERIOD));
        assertThat(ways.get(0).latest().undone()).extracting(Slot::permits).containsExactly(50);
        ways.get(0).answerAll();
        use(node.tryAcquire());
        ways.get(0).answerAll();
        assertThat(ways.get(0).latest().wanted().most()).isEqualTo(10);
        use(node.tryAcquire());
        assertThat(used).hasSize(1);
        ways.get(0).answerAll();
        time.advanceBy(PERIOD.plus(NANO));
        use(node.tryAcquire());
        assertThat(used).as("later than the period").hasSize(1);
        node.reconfigure(Limit.tokenBucket(1_000, 1_000, PERIOD));
        ways.get(0).answerAll();
        use(node.tryAcquire());
        assertThat(ways.get(0).latest().wanted().most()).isBetween(11L, 50L);
    }

    @Test
    @DisplayName("a lease ahead that is not used within a period goes back")
    void expires() {
        makeNodes(1, Limit.of(10, PERIOD), 5);
        use(nodes.get(0).tryAcquire());
        ways.get(0).answerAll();
        time.advanceBy(PERIOD);
        use(nodes.get(0).tryAcquire());
        assertThat(used).as("the last moment").hasSize(1);
        time.advanceBy(NANO);
        use(nodes.get(0).tryAcquire());
        assertThat(used).hasSize(1);
    }

    @Test
    @DisplayName("a lease ahead too small for a request goes back, and is enough with the rest")
    void tooLittle() {
        makeNodes(1, Limit.of(10, PERIOD), 9);
        RateLimiter node = nodes.get(0);
        use(node.tryAcquire());
        ways.get(0).answerAll();
        use(node.tryAcquire(6));
        assertThat(used).hasSize(6);
        ways.get(0).answerAll();
        assertThat(node.tryAcquire(4).isAcquired()).as("of three in hand").isFalse();
        ways.get(0).answerAll();
        use(node.tryAcquire(4));
        assertThat(used).as("all that there are").hasSize(10);
        checkBound(10, "one node alone");
    }

    @Test
    @DisplayName("a lease ahead is not made of permits that return only when given back")
    void notOfConcurrency() {
        makeNodes(2, Limit.allOf(Limit.concurrency(4), Limit.of(100, PERIOD.multipliedBy(3600))), 4, 100_000_000);
        for (RateLimiter node : nodes) {
            use(node.tryAcquire());
            ways.forEach(ManualStore::answerAll);
            use(node.tryAcquire());
        }
        assertThat(used).hasSize(2);
        assertThat(ways)
                .allSatisfy(way -> assertThat(way.asked.get(0).wanted().most()).isEqualTo(1));
    }

    @Test
    @DisplayName("a lease ahead is not made of permits for requests that have left")
    void thoseWhoLeft() {
        makeNodes(1, Limit.of(100, PERIOD), 5);
        List<PermitRequest> waiting = new ArrayList<>();
        waiting.add(nodes.get(0).acquire(1, this::use));
        ways.get(0).answerAll();
        time.advanceBy(Duration.ZERO);
        ways.get(0).answerAll();
        for (int i = 0; i < 60; i++) {
            waiting.add(nodes.get(0).acquire(1, this::use));
        }
        waiting.forEach(PermitRequest::cancel);
        ways.get(0).answerAll();
        time.advanceBy(PERIOD.minus(NANO));
        int inHand = 0;
        while (nodes.get(0).tryAcquire().isAcquired()) {
            inHand++;
        }
        assertThat(inHand).isLessThanOrEqualTo(5);
    }

    @Test
    @DisplayName(
            "while somebody waits nobody keeps anything: the last of many on several nodes goes when the limit allows it")
    void thoseWhoWaitGoFirst() {
        int permits = 20;
        int periods = 5;
        int ahead = 8;
        makeNodes(2, Limit.of(permits, PERIOD), ahead, 100_000_000);
        for (int waiter = 0; waiter < permits * periods; waiter++) {
            nodes.get(waiter % 2).acquire(1, this::use);
        }
        for (long passed = 0; passed < periods * PERIOD.toMillis(); passed++) {
            ways.forEach(ManualStore::answerAll);
            time.advanceBy(Duration.ofMillis(1));
        }
        assertThat(used).hasSize(permits * periods);
        checkBound(permits + 2 * ahead, "who waits");
    }

    @Test
    @DisplayName("a tenth of the trips, at most")
    void trips() {
        long without = tripsFor(0);
        long with = tripsFor(100);
        assertThat(without).isEqualTo(2_000);
        assertThat(with).isLessThanOrEqualTo(without / 10);
    }

    private long tripsFor(int ahead) {
        ways.clear();
        nodes.clear();
        makeNodes(1, Limit.tokenBucket(1_000, 1_000, PERIOD), ahead, 100_000_000);
        int granted = 0;
        while (granted < 2_000) {
            granted += nodes.get(0).tryAcquire().isAcquired() ? 1 : 0;
            ways.get(0).answerAll();
            time.advanceBy(Duration.ofMillis(1));
        }
        return ways.get(0).asked.size();
    }
}
