package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a closed node gives back to a server, and that it makes nothing any more. */
class ClosingOnAServerTest extends NodeOnAServer {

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
                        Nodes.on(held, RedisOptions.defaults().leaseAhead(6));
                RateLimiter one =
                        leaving.builder("manners", limit).timeSource(time).build();
                PartitionedRateLimiter<String> keyed = leaving.partitionedBuilder("keys", key -> limit)
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

    private RateLimiter keyElsewhere(Limit limit) {
        return Nodes.on(new JedisCommands(host), RedisOptions.defaults())
                .partitionedBuilder("keys", key -> limit)
                .timeSource(new VirtualTimeSource())
                .build()
                .forKey("one");
    }

    @Test
    @DisplayName("after the end nothing is made any more, by no builder")
    void builtAfterTheEnd() {
        RateLimiter.Builder one = fleet.builder("one", Limit.of(1, HOUR));
        PartitionedRateLimiter.Builder<String> many = fleet.partitionedBuilder("many", key -> Limit.of(1, HOUR));
        fleet.close();
        assertThatThrownBy(one::build).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(many::build).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> fleet.limiter("one", Limit.of(1, HOUR))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> fleet.partitioned("many", Limit.of(1, HOUR)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(commands.asked).isEmpty();
    }
}
