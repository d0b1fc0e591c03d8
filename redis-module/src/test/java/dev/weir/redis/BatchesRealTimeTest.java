package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Jedis;

/** Many keys at once, through the client, on a server. */
@Timeout(60)
class BatchesRealTimeTest {

    private static final Limit LIMIT = Limit.of(5, Duration.ofHours(1));
    private static final int KEYS = 100;
    private static final int MOST = 8;

    private ServerProcess redis;
    private Jedis jedis;

    @BeforeEach
    void start() {
        redis = ServerProcess.start();
        jedis = new Jedis("127.0.0.1", redis.port());
    }

    @AfterEach
    void stop() {
        jedis.close();
        redis.close();
    }

    /** Asks for a permit of each key while the server stands still, so that all but a few go together. */
    private List<Lease> askAtOnce(RedisURI server, List<String> keys, int keysPerCommand) throws Exception {
        RedisClient client = RedisClient.create(server);
        RedisOptions options = RedisOptions.defaults()
                .keysPerCommand(keysPerCommand)
                .deadline(Duration.ofSeconds(20))
                .whenUnavailable(WhenUnavailable.REFUSE);
        try (RedisRateLimiters fleet = RedisRateLimiters.connect(client, options);
                PartitionedRateLimiter<String> limiters = fleet.partitioned("batches", LIMIT)) {
            redis.pause();
            List<CompletableFuture<Lease>> asked =
                    keys.stream().map(key -> limiters.acquire(key, 2)).toList();
            redis.goOn();
            return asked.stream().map(CompletableFuture::join).toList();
        } finally {
            client.shutdown();
        }
    }

    private List<Lease> askAtOnce(List<String> keys) throws Exception {
        return askAtOnce(RedisURI.create("127.0.0.1", redis.port()), keys, MOST);
    }

    private static List<String> keys(String prefix) {
        return IntStream.range(0, KEYS).mapToObj(i -> prefix + i).toList();
    }

    private static void checkGranted(List<Lease> leases) {
        assertThat(leases).allSatisfy(lease -> {
            assertThat(lease.isAcquired()).isTrue();
            assertThat(lease.source()).isEqualTo(DecisionSource.REMOTE);
        });
    }

    private long calls(String command) {
        return jedis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(","))))
                .sum();
    }

    @Test
    @DisplayName("many keys are a few commands, whether the server knows the script or not, and each is decided")
    void fewCommands() throws Exception {
        int few = Wires.FEW + (KEYS - Wires.FEW + MOST - 1) / MOST;
        checkGranted(askAtOnce(keys("a")));
        assertThat(calls("evalsha")).isEqualTo(few);
        assertThat(calls("eval")).as("by those who did not find it").isBetween(1L, (long) few);
        checkGranted(askAtOnce(keys("a")));
        assertThat(calls("evalsha")).isEqualTo(2L * few);
        assertThat(jedis.keys("weir:v1:{batches:a*")).hasSize(KEYS);
    }

    @Test
    @DisplayName("each key is a command of its own where that is wanted")
    void oneByOne() throws Exception {
        checkGranted(askAtOnce(RedisURI.create("127.0.0.1", redis.port()), keys("a"), 1));
        assertThat(calls("evalsha")).isEqualTo(KEYS);
    }

    @Test
    @DisplayName("a user who may not touch some of the keys is refused those, and no others")
    void someKeysForbidden() throws Exception {
        String[] rules = {
            "reset", "on", ">secret", "~weir:v1:{batches:good*", "+evalsha", "+eval", "+time", "+get", "+set"
        };
        jedis.aclSetUser("limiter", rules);
        RedisURI server = RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(redis.port())
                .withAuthentication("limiter", "secret".toCharArray())
                .build();
        List<String> keys = IntStream.range(0, KEYS)
                .mapToObj(i -> i % 10 == 9 ? "bad" + i : "good" + i)
                .toList();
        List<Lease> leases = askAtOnce(server, keys, MOST);
        for (int i = 0; i < KEYS; i++) {
            if (i % 10 == 9) {
                assertThat(leases.get(i).reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
            } else {
                checkGranted(leases.subList(i, i + 1));
            }
        }
    }
}
