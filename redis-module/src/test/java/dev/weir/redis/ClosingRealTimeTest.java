package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A node that leaves while very many of its limiters hold something. */
class ClosingRealTimeTest {

    private static final int MANY = 1_000;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final RedisOptions OPTIONS =
            RedisOptions.defaults().deadline(Duration.ofSeconds(20)).leaseTime(HOUR);

    private final ClientResources resources = Clients.resources();
    private ServerProcess redis;
    private RedisClient client;

    @BeforeEach
    void start() {
        redis = ServerProcess.start();
        client = Clients.of(resources, redis.port(), Integer.MAX_VALUE);
    }

    @AfterEach
    void stop() throws Exception {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        resources.shutdown(0, 1, TimeUnit.SECONDS).get();
        redis.close();
    }

    private RedisRateLimiters holding(int limiters) {
        return holding(limiters, OPTIONS);
    }

    /** Each of them holds all of its limit. */
    private RedisRateLimiters holding(int limiters, RedisOptions options) {
        RedisRateLimiters fleet = RedisRateLimiters.connect(client, options);
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (int i = 0; i < limiters; i++) {
            if (i >= options.maxInFlight()) {
                asked.get(i - options.maxInFlight()).join();
            }
            asked.add(fleet.limiter("slot " + i, Limit.concurrency(1)).acquire());
        }
        assertThat(asked).allMatch(lease -> lease.join().source() == DecisionSource.REMOTE);
        assertThat(keys()).hasSize(limiters);
        return fleet;
    }

    private Set<String> keys() {
        try (ScriptHost host = new ScriptHost("127.0.0.1", redis.port())) {
            return host.jedis().keys("*");
        }
    }

    @Test
    @DisplayName("all that they hold goes back before the connection is closed, and then it is")
    void allGoesBack() {
        holding(MANY).close();
        await().untilAsserted(() -> assertThat(keys()).isEmpty());
        await().untilAsserted(() -> assertThat(connections()).isOne());
    }

    @Test
    @DisplayName("a node that leaves gives all back, also with more limiters than may call at a time")
    void moreThanMayCallAtATime() {
        holding(200, OPTIONS.maxInFlight(10)).close();
        await().untilAsserted(() -> assertThat(keys()).isEmpty());
        await().untilAsserted(() -> assertThat(connections()).isOne());
    }

    /** Those who look included. */
    private long connections() {
        try (ScriptHost host = new ScriptHost("127.0.0.1", redis.port())) {
            return host.jedis().clientList().lines().count();
        }
    }

    /** That of the system, until it is broken. */
    private static final class FragileClock implements TimeSource {

        private volatile boolean isBroken;

        @Override
        public long nanoTime() {
            if (isBroken) {
                throw new IllegalStateException("no time");
            }
            return TimeSource.system().nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return TimeSource.system().schedule(task, delayNanos);
        }
    }

    @Test
    @DisplayName(
            "so it does, and the connection is closed, though one of them cannot be closed; that is told in the end")
    void oneThatCannotBeClosed() {
        RedisRateLimiters fleet = holding(20);
        FragileClock clock = new FragileClock();
        RateLimiter stuck =
                fleet.builder("stuck", Limit.concurrency(1)).timeSource(clock).build();
        assertThat(stuck.acquire().join().source()).isEqualTo(DecisionSource.REMOTE);
        clock.isBroken = true;
        assertThatThrownBy(fleet::close).hasMessage("no time");
        await().untilAsserted(
                        () -> assertThat(keys()).singleElement().asString().contains("stuck"));
        await().untilAsserted(() -> assertThat(connections()).isOne());
        clock.isBroken = false;
        stuck.close();
    }

    @Test
    @DisplayName("a node that leaves gives back what some limiters hold though its client is shut down")
    void shutDownAtOnce() {
        holding(20).close();
        client.shutdown(0, 1, TimeUnit.SECONDS);
        await().untilAsserted(() -> assertThat(keys()).isEmpty());
    }
}
