package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.fppt.jedismock.RedisServer;
import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A server, written in Java, whose clock is set: what is decided, how long who waits has to, and when keys expire. */
class ServerClockTest {

    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration TICK = Duration.ofMillis(1);

    private static final List<Limit> LIMITS = List.of(
            Limit.of(4, PERIOD),
            Limit.slidingWindow(4, PERIOD, 2),
            Limit.tokenBucket(4, 4, PERIOD),
            Limit.leakyBucket(4, PERIOD).withSlack(3),
            Limit.fixedWindow(4, PERIOD),
            Limit.fixedWindow(4, PERIOD).aligned(),
            Limit.slidingWindowCounter(4, PERIOD),
            Limit.allOf(Limit.of(4, PERIOD), Limit.tokenBucket(4, 4, PERIOD)));

    /** Set at will; a node's own clock goes on as ever. */
    private static final class Hands extends Clock {

        private volatile Instant now = Instant.parse("2026-11-21T12:00:00Z");

        void move(Duration by) {
            now = now.plus(by);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private final Hands hands = new Hands();
    private final VirtualTimeSource time = new VirtualTimeSource();
    private RedisServer server;
    private ScriptHost host;
    private RedisRateLimiters fleet;

    @BeforeEach
    void start() throws IOException {
        server = RedisServer.newRedisServer().setClock(hands).start();
        EveryKeyExpires.watch(server.getBindPort());
        host = new ScriptHost(server.getHost(), server.getBindPort());
        fleet = Nodes.on(new JedisCommands(host), RedisOptions.defaults());
    }

    @AfterEach
    void stop() throws IOException {
        EveryKeyExpires.forget(server.getBindPort());
        host.close();
        server.stop();
    }

    private RateLimiter limiter(Limit limit) {
        host.flush();
        return fleet.builder("clock", limit).timeSource(time).build();
    }

    /** Both clocks go on. */
    private void goOn(Duration by) {
        hands.move(by);
        time.advanceBy(by);
    }

    private int takeAll(RateLimiter limiter) {
        int taken = 0;
        while (limiter.tryAcquire().isAcquired()) {
            taken++;
        }
        return taken;
    }

    @Test
    @DisplayName(
            "set back, by more than two periods: no permit more, nobody is told to wait longer than at a fresh limit, and it is true")
    void setBack() {
        for (Limit limit : LIMITS) {
            for (int seconds : new int[] {21, 27, 30, 3_600, 3_607}) {
                checkSetBack(limit, Duration.ofSeconds(seconds));
            }
        }
    }

    private void checkSetBack(Limit limit, Duration step) {
        RateLimiter limiter = limiter(limit);
        assertThat(takeAll(limiter)).as("%s", limit).isEqualTo(4);
        hands.move(step.negated());
        goOn(PERIOD.multipliedBy(2)); // until then this node knows that it was refused
        Lease refused = limiter.tryAcquire();
        assertThat(refused.isAcquired()).as("%s, %s", limit, step).isFalse();
        Duration wait = refused.retryAfter().orElseThrow();
        assertThat(wait).as("%s, %s", limit, step).isPositive().isLessThanOrEqualTo(PERIOD.multipliedBy(2));
        goOn(wait.minus(TICK));
        assertThat(takeAll(limiter)).as("too early for %s, %s", limit, step).isZero();
        goOn(TICK.multipliedBy(2)); // this server tells the time in milliseconds
        assertThat(takeAll(limiter)).as("%s, %s", limit, step).isBetween(1, 4);
    }

    @Test
    @DisplayName("set back over the end of an aligned window after which nothing was taken: that window admits no more")
    void setBackOverAnEnd() {
        RateLimiter limiter = limiter(Limit.fixedWindow(4, PERIOD).aligned());
        goOn(Duration.ofSeconds(8));
        assertThat(takeAll(limiter)).isEqualTo(4);
        goOn(Duration.ofSeconds(3));
        limiter.availablePermits(); // has the server look at the key
        hands.move(Duration.ofSeconds(-2));
        time.advanceBy(PERIOD.multipliedBy(2)); // until then this node knows that it was refused
        assertThat(takeAll(limiter)).as("before the end").isZero();
        goOn(Duration.ofSeconds(1).plus(TICK));
        time.advanceBy(PERIOD.multipliedBy(2));
        assertThat(takeAll(limiter)).as("after it").isEqualTo(4);
    }

    @Test
    @DisplayName("set ahead by an hour: one full limit at once, and no more")
    void setAhead() {
        for (Limit limit : LIMITS) {
            RateLimiter limiter = limiter(limit);
            assertThat(takeAll(limiter)).as("%s", limit).isEqualTo(4);
            hands.move(HOUR);
            time.advanceBy(PERIOD.multipliedBy(2)); // until then this node knows that it was refused
            assertThat(takeAll(limiter)).as("%s", limit).isEqualTo(4);
            hands.move(TICK);
            assertThat(takeAll(limiter)).as("%s", limit).isZero();
        }
    }

    @Test
    @DisplayName("a booking is due when the store said, whatever becomes of the server's clock")
    void booked() {
        for (Duration step : List.of(HOUR, HOUR.negated())) {
            RateLimiter limiter = limiter(Limit.of(1, PERIOD));
            assertThat(limiter.acquire().join().isAcquired()).isTrue();
            CompletableFuture<Lease> waiting = limiter.acquire();
            hands.move(step);
            time.advanceBy(PERIOD.minus(TICK));
            assertThat(waiting).isNotDone();
            time.advanceBy(TICK);
            assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
        }
    }

    @Test
    @DisplayName("set back again and again: never more than one limit for each time that the clock goes through")
    void unsteady() {
        for (Limit limit : LIMITS) {
            RateLimiter limiter = limiter(limit);
            int taken = 0;
            for (int i = 0; i < 20; i++) {
                taken += takeAll(limiter);
                hands.move(Duration.ofSeconds(i % 2 == 0 ? -7 : 3));
                time.advanceBy(Duration.ofSeconds(1));
            }
            // Forwards it went ten times three seconds, which is three periods.
            assertThat(taken).as("%s", limit).isBetween(4, 4 * 5);
        }
    }
}
