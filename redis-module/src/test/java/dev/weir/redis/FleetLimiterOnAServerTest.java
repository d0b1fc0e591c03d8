package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How limiters as users get them deal with a server: on its clock, and on a virtual one of their own. */
class FleetLimiterOnAServerTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration NANO = Duration.ofNanos(1);
    private static final Duration LEASE = Duration.ofSeconds(6);

    private static ServerProcess redis;

    private final ScriptHost host = new ScriptHost("127.0.0.1", redis.port());
    private final JedisCommands commands = new JedisCommands(host);
    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final RedisRateLimiters fleet =
            RedisRateLimiters.on(commands, RedisOptions.defaults().leaseTime(LEASE));

    @BeforeAll
    static void start() {
        redis = ServerProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @AfterEach
    void forget() {
        host.flush();
        host.close();
    }

    private RateLimiter limiter(Limit limit) {
        return fleet.builder("manners", limit).timeSource(time).build();
    }

    /** Another node, for which no time goes by. */
    private RateLimiter elsewhere(Limit limit) {
        return RedisRateLimiters.on(
                        new JedisCommands(host), RedisOptions.defaults().leaseTime(LEASE))
                .builder("manners", limit)
                .timeSource(new VirtualTimeSource())
                .build();
    }

    @Test
    @DisplayName("permits that a try has fetched are good for 100 ms, and go back after that")
    void fetched() {
        PermitsInHand hand = new PermitsInHand(Limit.of(5, HOUR));
        hand.fetch(1);
        time.advanceBy(Duration.ofMillis(100));
        assertThat(hand.limiter.tryAcquire().isAcquired()).isTrue();
        hand.fetch(1);
        time.advanceBy(Duration.ofMillis(100).plus(NANO));
        assertThat(hand.limiter.tryAcquire().isAcquired()).isFalse();
        assertThat(ServerGrants.undone(hand.held.asked.get(hand.held.asked.size() - 1)))
                .startsWith("1:");
    }

    /** A limiter whose tries are refused first, as the answer comes later. */
    private final class PermitsInHand {

        private final ManualCommands held = new ManualCommands(new JedisCommands(host));
        private final RateLimiter limiter;

        PermitsInHand(Limit limit) {
            limiter = RedisRateLimiters.on(held, RedisOptions.defaults())
                    .builder("hand", limit)
                    .timeSource(time)
                    .build();
        }

        void fetch(int permits) {
            assertThat(limiter.tryAcquire(permits).isAcquired()).isFalse();
            held.answer();
        }
    }

    @Test
    @DisplayName("the first who waits is booked however late it is, those behind it 250 ms ahead at most")
    void bookings() {
        RateLimiter limiter = limiter(Limit.leakyBucket(1, Duration.ofMillis(10)));
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(limiter.acquire());
        }
        assertThat(waiting.get(0)).isDone();
        time.advanceBy(Duration.ofMillis(10)); // the first who waits goes; the next asks for all
        long ahead = Duration.ofMillis(250).toNanos();
        assertThat(commands.latestAnswer().bookings())
                .hasSizeBetween(10, 25)
                .allMatch(booking -> booking.inNanos() <= ahead);
        RateLimiter slow =
                fleet.builder("slow", Limit.of(1, HOUR)).timeSource(time).build();
        assertThat(slow.acquire()).isDone();
        assertThat(slow.acquire()).isNotDone();
        assertThat(slow.acquire()).isNotDone();
        assertThat(commands.latestAnswer().bookings()).hasSize(1);
        assertThat(commands.latestAnswer().bookings().get(0).inNanos()).isGreaterThan(HOUR.toNanos() * 9 / 10);
    }

    @Test
    @DisplayName("a node reports its permits of concurrency three times within the lease until it closes it")
    void renewed() {
        RateLimiter limiter = limiter(Limit.concurrency(2));
        Lease lease = limiter.acquire().join();
        int trips = commands.asked.size();
        for (int renewals = 1; renewals <= 9; renewals++) {
            time.advanceBy(LEASE.dividedBy(3).minus(NANO));
            assertThat(commands.asked).hasSizeLessThan(trips + renewals);
            time.advanceBy(NANO);
            assertThat(commands.asked).hasSize(trips + renewals);
            assertThat(host.jedis().get("weir:v1:{manners}:leases")).contains(":1:");
        }
        lease.close();
        assertThat(host.jedis().exists("weir:v1:{manners}:leases")).isFalse();
        int told = commands.asked.size();
        time.advanceBy(LEASE.multipliedBy(2));
        assertThat(commands.asked).hasSizeLessThanOrEqualTo(told + 1);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a permit of concurrency that a try has fetched, and nobody came back for, is free for others")
    void fetchedForNobody() {
        Limit slot = Limit.concurrency(1);
        ManualCommands held = new ManualCommands(new JedisCommands(host));
        RateLimiter limiter = RedisRateLimiters.on(held, RedisOptions.defaults())
                .builder("manners", slot)
                .timeSource(time)
                .build();
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
        held.answer();
        assertThat(elsewhere(slot).tryAcquire().isAcquired()).isFalse();
        for (int i = 0; i < 10; i++) {
            time.advanceBy(Duration.ofMillis(100));
            held.answerAll();
        }
        assertThat(elsewhere(slot).tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a permit fetched for a refused try, or a request that left, is free for others soon")
    void fetchedForNobodyOfAWindow() {
        for (Limit limit : List.of(
                Limit.of(4, HOUR), Limit.tokenBucket(4, 1, HOUR), Limit.fixedWindow(4, HOUR), Limit.concurrency(4))) {
            for (boolean isTry : List.of(true, false)) {
                host.flush();
                ManualCommands held = new ManualCommands(new JedisCommands(host));
                RateLimiter limiter = RedisRateLimiters.on(held, RedisOptions.defaults())
                        .builder("manners", limit)
                        .timeSource(time)
                        .build();
                if (isTry) {
                    assertThat(limiter.tryAcquire(3).isAcquired()).isFalse();
                } else {
                    assertThat(limiter.acquire(3, lease -> {}).cancel()).isTrue();
                }
                held.answer();
                for (int i = 0; i < 5; i++) {
                    time.advanceBy(Duration.ofMillis(40));
                    held.answerAll();
                }
                assertThat(elsewhere(limit).tryAcquire(4).isAcquired())
                        .as("%s, for a try: %s", limit, isTry)
                        .isTrue();
                assertThat(limit.newPolicy(0).returnsOnRelease() || time.pendingTasks() == 0)
                        .isTrue();
            }
        }
    }

    @Test
    @DisplayName(
            "a place booked for somebody who has left is given back soon, though nobody asks for anything any more")
    void leftBehind() {
        RateLimiter limiter = limiter(Limit.leakyBucket(1, Duration.ofMillis(10)));
        assertThat(limiter.acquire()).isDone();
        CompletableFuture<Lease> first = limiter.acquire();
        CompletableFuture<Lease> next = limiter.acquire();
        CompletableFuture<Lease> leaving = limiter.acquire();
        time.advanceBy(Duration.ofMillis(10));
        assertThat(first).isDone();
        leaving.cancel(false);
        time.advanceBy(Duration.ofMillis(20)); // on the clock of the server less has gone by
        assertThat(next).isDone();
        time.advanceBy(Duration.ofMillis(200));
        assertThat(commands.asked)
                .map(ServerGrants::undone)
                .filteredOn(undone -> !undone.isEmpty())
                .singleElement()
                .asString()
                .startsWith("1:");
        assertThat(limiter.idleDuration()).isPresent();
    }

    @Test
    @DisplayName("a permit too few for a try is free soon, while a question waits for more requests")
    void tooFewForATry() {
        ManualCommands held = new ManualCommands(new JedisCommands(host));
        RateLimiter limiter = RedisRateLimiters.on(held, RedisOptions.defaults())
                .builder("manners", Limit.of(6, HOUR))
                .timeSource(time)
                .build();
        CompletableFuture<Lease> before = limiter.acquire();
        CompletableFuture<Lease> first = limiter.acquire(2);
        CompletableFuture<Lease> leaving = limiter.acquire(2);
        CompletableFuture<Boolean> tried =
                first.thenApply(lease -> limiter.tryAcquire(3).isAcquired());
        held.answer();
        time.advanceBy(NANO);
        leaving.cancel(false);
        for (int i = 0; i < 5; i++) {
            held.answerAll();
            time.advanceBy(Duration.ofMillis(40));
        }
        assertThat(before).isDone();
        assertThat(tried).isCompletedWithValue(false);
        assertThat(ServerGrants.undone(held.asked.get(held.asked.size() - 1))).startsWith("2:");
        assertThat(limiter.availablePermits()).isEqualTo(3);
    }

    @Test
    @DisplayName("limiters of one name are one limit of concurrency, also on one node")
    void twoOfOneName() {
        Limit slots = Limit.concurrency(2);
        RateLimiter one = limiter(slots);
        RateLimiter other = limiter(slots);
        Lease lease = one.acquire().join();
        assertThat(other.tryAcquire().isAcquired()).isTrue();
        assertThat(one.tryAcquire().isAcquired()).isFalse();
        assertThat(other.tryAcquire().isAcquired()).isFalse();
        lease.close();
        time.advanceBy(Duration.ofMillis(100));
        assertThat(other.tryAcquire().isAcquired()).isTrue();
        time.advanceBy(LEASE.multipliedBy(2));
        assertThat(one.tryAcquire().isAcquired()).isFalse();
        fleet.close();
        assertThat(host.jedis().exists("weir:v1:{manners}:leases")).isFalse();
    }

    @Test
    @DisplayName(
            "a limit that no script can keep is refused also when it is changed, and all goes on by the one before")
    void changedToWhatCannotBeKept() {
        RateLimiter limiter = limiter(Limit.tokenBucket(2, 2, HOUR));
        Limit tooLong = Limit.tokenBucket(26_500, 1, Duration.ofDays(1));
        assertThatThrownBy(() -> limiter.reconfigure(tooLong)).isInstanceOf(IllegalArgumentException.class);
        assertThat(limiter.limit().capacity()).isEqualTo(2);
        assertThat(limiter.acquire(2).join().source()).isEqualTo(DecisionSource.REMOTE);
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
    }

    @Test
    @DisplayName(
            "the keys for which there is no room share a limit of their own, and not that of a limiter of the same name")
    void overflow() {
        PartitionedRateLimiter<String> keyed = fleet.partitioned("manners", key -> Limit.of(1, HOUR))
                .maximumKeys(1)
                .overflowTo(Limit.of(1, HOUR))
                .timeSource(time)
                .build();
        assertThat(keyed.acquire("one", 1).join().isAcquired()).isTrue();
        assertThat(keyed.acquire("another", 1).join().isAcquired()).isTrue();
        assertThat(keyed.tryAcquire("a third", 1).isAcquired()).isFalse();
        assertThat(limiter(Limit.of(1, HOUR)).tryAcquire().isAcquired()).isTrue();
        assertThat(host.jedis().keys("*"))
                .containsExactlyInAnyOrder(
                        "weir:v1:{manners:one}:log", "weir:v1:{manners%}:log", "weir:v1:{manners}:log");
    }

    @Test
    @DisplayName("the end gives back what is held, in use or not, and what is booked")
    void givenBackInTheEnd() {
        Limit slot = Limit.concurrency(1);
        Lease inUse = limiter(slot).acquire().join();
        assertThat(elsewhere(slot).tryAcquire().isAcquired()).isFalse();
        RateLimiter rate =
                fleet.builder("rate", Limit.of(1, HOUR)).timeSource(time).build();
        assertThat(rate.acquire()).isDone();
        CompletableFuture<Lease> booked = rate.acquire();
        String withBooking = host.jedis().get("weir:v1:{rate}:log");

        fleet.close();

        assertThat(booked.join().reason()).contains(RefusalReason.CLOSED);
        assertThat(host.jedis().get("weir:v1:{rate}:log")).hasSizeLessThan(withBooking.length());
        assertThat(elsewhere(slot).tryAcquire().isAcquired()).isTrue();
        inUse.close();
        time.advanceBy(LEASE.multipliedBy(2));
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a node that closes gives back leases ahead that are unused or on their way")
    void leasedAheadGoesBackInTheEnd() throws Exception {
        Limit limit = Limit.of(8, HOUR);
        for (boolean isOnItsWay : List.of(false, true)) {
            for (int closing = 0; closing < 3; closing++) {
                host.flush();
                ManualCommands held = new ManualCommands(new JedisCommands(host));
                RedisRateLimiters leaving =
                        RedisRateLimiters.on(held, RedisOptions.defaults().leaseAhead(6));
                RateLimiter one =
                        leaving.builder("manners", limit).timeSource(time).build();
                PartitionedRateLimiter<String> keyed = leaving.partitioned("keys", key -> limit)
                        .timeSource(time)
                        .build();
                List<AutoCloseable> ends = List.of(one, keyed, leaving);
                RateLimiter used = closing == 1 ? keyed.forKey("one") : one;
                assertThat(used.tryAcquire().isAcquired()).isFalse(); // and has six fetched
                if (!isOnItsWay) {
                    held.answerAll();
                    assertThat(used.tryAcquire().isAcquired()).isTrue();
                }
                ends.get(closing).close();
                held.answerAll();
                RateLimiter elsewhere = closing == 1 ? keyElsewhere(limit) : elsewhere(limit);
                String what = "on its way: " + isOnItsWay + ", closed: " + ends.get(closing);
                assertThat(elsewhere.tryAcquire(isOnItsWay ? 8 : 7).isAcquired())
                        .as(what)
                        .isTrue();
                assertThat(elsewhere.tryAcquire().isAcquired()).as(what).isFalse();
            }
        }
    }

    @Test
    @DisplayName("a request larger than the lease ahead has nothing fetched beside it")
    void nothingAheadOfLargeRequests() {
        Limit window = Limit.of(10, HOUR);
        Limit bucket = Limit.tokenBucket(10, 10, HOUR);
        for (Limit limit : List.of(window, bucket, Limit.allOf(window, bucket))) {
            host.flush();
            RateLimiter limiter = RedisRateLimiters.on(
                            commands, RedisOptions.defaults().leaseAhead(2))
                    .builder("manners", limit)
                    .timeSource(time)
                    .build();
            assertThat(limiter.tryAcquire(4).isAcquired()).as("%s", limit).isTrue();
            assertThat(elsewhere(limit).tryAcquire(6).isAcquired())
                    .as("%s", limit)
                    .isTrue();
        }
    }

    private RateLimiter keyElsewhere(Limit limit) {
        return RedisRateLimiters.on(new JedisCommands(host), RedisOptions.defaults())
                .partitioned("keys", key -> limit)
                .timeSource(new VirtualTimeSource())
                .build()
                .forKey("one");
    }

    @Test
    @DisplayName("after the end nothing is made any more, by no builder")
    void builtAfterTheEnd() {
        RateLimiter.Builder one = fleet.builder("one", Limit.of(1, HOUR));
        PartitionedRateLimiter.Builder<String> many = fleet.partitioned("many", key -> Limit.of(1, HOUR));
        fleet.close();
        assertThatThrownBy(one::build).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(many::build).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> fleet.limiter("one", Limit.of(1, HOUR))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> fleet.partitioned("many", Limit.of(1, HOUR)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(commands.asked).isEmpty();
    }
}
