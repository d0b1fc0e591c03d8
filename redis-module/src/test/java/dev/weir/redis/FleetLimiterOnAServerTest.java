package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How limiters as users get them deal with a server: on its clock, and on a virtual one of their own. */
class FleetLimiterOnAServerTest extends NodeOnAServer {

    private static final Duration NANO = Duration.ofNanos(1);

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
        PartitionedRateLimiter<String> keyed = fleet.partitionedBuilder("manners", key -> Limit.of(1, HOUR))
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
}
