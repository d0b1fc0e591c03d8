package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.PartitionedRateLimiter;
import dev.weir.limit.Limit;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Thousands of keys are asked for while the server hangs: what the client holds for them is bounded. */
class CrowdedOutageRealTimeTest {

    private static final int KEYS = 3_000;
    private static final long MILLIS = 1_500;
    private static final long MOST_GROWTH = 16L << 20;

    private final ClientResources resources = Clients.resources();
    private ServerProcess redis;
    private RedisClient client;

    @BeforeEach
    void start() {
        redis = ServerProcess.start();
    }

    @AfterEach
    void stop() throws Exception {
        redis.goOn();
        client.shutdown(0, 1, TimeUnit.SECONDS);
        resources.shutdown(0, 1, TimeUnit.SECONDS).get();
        redis.close();
    }

    private CountedCommands commands(int requestQueueSize) {
        client = Clients.of(resources, redis.port(), requestQueueSize);
        return new CountedCommands(new LettuceCommands(Wires.over(client.connect(), 32)));
    }

    private static RedisOptions options() {
        return RedisOptions.defaults().whenUnavailable(WhenUnavailable.REFUSE);
    }

    private static PartitionedRateLimiter<String> keys(RedisRateLimiters fleet) {
        return fleet.partitioned("crowd", Limit.of(100, Duration.ofSeconds(1)));
    }

    /** Asks for all keys again and again. Returns the most calls that the client held meanwhile. */
    private static long askWhileItHangs(PartitionedRateLimiter<String> keyed, CountedCommands commands) {
        long most = askOnce(keyed, commands);
        long atFirst = used();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
        while (System.nanoTime() - until < 0) {
            most = Math.max(most, askOnce(keyed, commands));
        }
        assertThat(used() - atFirst).as("bytes that the heap grew by").isLessThan(MOST_GROWTH);
        return most;
    }

    private static long askOnce(PartitionedRateLimiter<String> keyed, CountedCommands commands) {
        long most = 0;
        for (int key = 0; key < KEYS; key++) {
            assertThat(keyed.tryAcquire("key " + key, 1).isAcquired()).isFalse();
            most = Math.max(most, commands.underWay());
        }
        return most;
    }

    private static long used() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static void awaitRecovery(PartitionedRateLimiter<String> keyed) {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> keyed.acquire("key 1", 1).join().isAcquired());
        await().atMost(Duration.ofSeconds(20))
                .until(() -> keyed.acquire("key " + (KEYS - 1), 1).join().isAcquired());
    }

    @ParameterizedTest(name = "and a request queue of {0}")
    @ValueSource(ints = {Integer.MAX_VALUE, 100})
    @DisplayName("no more than as many calls as the options say, and all is well when the server goes on")
    void boundOfTheNode(int requestQueueSize) throws Exception {
        CountedCommands commands = commands(requestQueueSize);
        try (RedisRateLimiters fleet = Nodes.on(commands, options().maxInFlight(1_000));
                PartitionedRateLimiter<String> keyed = keys(fleet)) {
            await().until(() -> keyed.acquire("key 1", 1).join().isAcquired());
            redis.pause();
            long most = askWhileItHangs(keyed, commands);
            assertThat(most).isBetween(50L, 1_000L);
            redis.goOn();
            awaitRecovery(keyed);
            await().until(() -> commands.underWay() == 0);
        }
    }
}
