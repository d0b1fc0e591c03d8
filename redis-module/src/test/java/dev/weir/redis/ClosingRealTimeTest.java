package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
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

    @Test
    @DisplayName("a node that leaves gives back what some limiters hold though its client is shut down")
    void shutDownAtOnce() {
        holding(20).close();
        client.shutdown(0, 1, TimeUnit.SECONDS);
        await().untilAsserted(() -> assertThat(keys()).isEmpty());
    }
}
