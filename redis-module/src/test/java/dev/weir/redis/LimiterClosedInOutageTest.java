package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Concurrency;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A limiter that was closed while its store is away, with something to tell it, in virtual time. */
class LimiterClosedInOutageTest {

    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final long RENEW_NANOS = PERIOD.toNanos() / NodeSettings.RENEWALS;
    private static final List<Limit> LIMITS = List.of(
            Limit.concurrency(4),
            Limit.of(4, PERIOD),
            Limit.tokenBucket(4, 4, PERIOD),
            Limit.allOf(Limit.concurrency(4), Limit.fixedWindow(4, PERIOD)));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private Node node = Nodes.node();
    private boolean isAway;
    private int asked;
    private int available;
    private long held;
    private long charged;

    private RateLimiter limiter(Limit limit) {
        ModelStore behind = new ModelStore(limit, time);
        Store store = (kept, question, listener) -> {
            asked++;
            if (isAway) {
                listener.failed(new NotConnectedException(new IllegalStateException("away")));
            } else {
                behind.ask(kept, question, listener);
                available = (int) behind.policy().available(time.nanoTime());
                held = question.heldPermits();
                charged += question.mostCharged();
            }
        };
        NodeSettings settings = new TestSettings().renewNanos(RENEW_NANOS).build();
        return ModelFleet.builder(limit, store, node, settings).timeSource(time).build();
    }

    private void goOn(Duration by) {
        for (Duration passed = Duration.ZERO; passed.compareTo(by) < 0; passed = passed.plusMillis(100)) {
            time.advanceBy(Duration.ofMillis(100));
        }
    }

    private void closeWithMuchToTell(RateLimiter limiter) {
        isAway = false;
        Lease lease = limiter.acquire().join();
        assertThat(lease.isAcquired()).isTrue();
        time.advanceBy(Duration.ofNanos(1)); // so that the store is where it goes back to
        isAway = true;
        limiter.reconfigure(limiter.limit());
        lease.settle(0);
        lease.close();
        limiter.close();
        asked = 0;
    }

    @Test
    @DisplayName("a closed limiter probes the store while its report matters, and then no more")
    void looksNoMore() {
        for (Limit limit : LIMITS) {
            closeWithMuchToTell(limiter(limit));
            goOn(PERIOD.dividedBy(2));
            assertThat(asked).as("%s", limit).isPositive();
            goOn(PERIOD.multipliedBy(2));
            assertThat(time.pendingTasks()).as("%s", limit).isZero();
        }
    }

    @Test
    @DisplayName("a store that is back before that is told, once")
    void toldOnce() {
        for (Limit limit : LIMITS) {
            RateLimiter limiter = limiter(limit);
            closeWithMuchToTell(limiter);
            goOn(PERIOD.dividedBy(2));
            isAway = false;
            asked = 0;
            goOn(PERIOD.dividedBy(4));
            assertThat(asked).as("%s", limit).isEqualTo(1);
            assertThat(available).as("%s", limit).isEqualTo(limit.capacity());
            goOn(PERIOD.multipliedBy(2));
            assertThat(asked).as("%s", limit).isEqualTo(1);
            assertThat(time.pendingTasks()).as("%s", limit).isZero();
        }
    }

    @Test
    @DisplayName("a grant of a closed limiter in an outage is reported, however long the outage was")
    void awayForLong() {
        for (Limit limit : LIMITS) {
            RateLimiter limiter = limiter(limit);
            isAway = true;
            assertThat(limiter.tryAcquire(0).isAcquired()).isTrue();
            goOn(PERIOD.multipliedBy(2));
            Lease alone = limiter.tryAcquire();
            assertThat(alone.isAcquired()).as("%s", limit).isTrue();
            limiter.close();
            isAway = false;
            asked = 0;
            charged = 0;
            goOn(PERIOD.dividedBy(4));
            assertThat(asked).as("%s", limit).isPositive();
            if (limit.newPolicy(0).returnsOnRelease()) {
                assertThat(held).as("%s", limit).isEqualTo(1);
            }
            if (!(limit instanceof Concurrency)) {
                assertThat(charged).as("%s", limit).isEqualTo(1);
            }
            alone.close();
            goOn(PERIOD);
            assertThat(held).as("%s", limit).isZero();
            assertThat(time.pendingTasks()).as("%s", limit).isZero();
        }
    }

    @Test
    @DisplayName("a node that leaves probes for no longer than a period, whatever is owed")
    void debtOfALeavingNode() {
        RateLimiter limiter = limiter(Limit.tokenBucket(4, 4, PERIOD));
        isAway = true;
        assertThat(limiter.tryAcquire(4).isAcquired()).isTrue();
        limiter.charge(4_000);
        limiter.close();
        node.leave();
        goOn(PERIOD.multipliedBy(2));
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a debt made while the store is away is told as long as it lasts, be it longer than a period")
    void debt() {
        RateLimiter limiter = limiter(Limit.tokenBucket(4, 4, PERIOD));
        isAway = true;
        assertThat(limiter.tryAcquire(4).isAcquired()).isTrue();
        limiter.charge(8);
        limiter.close();
        goOn(PERIOD.multipliedBy(2));
        isAway = false;
        goOn(PERIOD.dividedBy(4));
        assertThat(charged).as("what time has not repaid").isBetween(3L, 4L);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a limiter with an open lease whose node leaves stops probing once the lease is over")
    void leftWithALease() {
        for (boolean isAlone : List.of(false, true)) {
            node = Nodes.node();
            RateLimiter limiter = limiter(Limit.concurrency(4));
            isAway = isAlone;
            assertThat(limiter.acquire().join().isAcquired()).isTrue();
            isAway = true;
            node.leave();
            asked = 0;
            goOn(PERIOD.dividedBy(2));
            assertThat(asked).as("alone: %s", isAlone).isPositive();
            goOn(PERIOD.multipliedBy(2));
            assertThat(time.pendingTasks()).as("alone: %s", isAlone).isZero();
        }
    }

    @Test
    @DisplayName("nobody probes the store over a connection that was opened for the node and has been closed")
    void connectionClosed() {
        RedisRateLimiters fleet = new RedisRateLimiters(FleetWiring.connecting(
                () -> {
                    throw new IOException("no server");
                },
                connection -> {
                    throw new AssertionError(connection);
                },
                RedisOptions.defaults()));
        RateLimiter limiter = fleet.builder("daily", Limit.of(4, Duration.ofDays(1)))
                .timeSource(time)
                .build();
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        fleet.close(); // as no call is in flight, this closes the connection
        goOn(Duration.ofSeconds(3));
        assertThat(time.pendingTasks()).isZero();
    }
}
