package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** A user of the server who may do what is said to be needed, and nothing else. */
class PermissionsTest {

    static final List<String> COMMANDS = List.of("evalsha", "eval", "time", "get", "set", "del");
    private static final Duration HOUR = Duration.ofHours(1);

    private static ServerProcess redis;

    @BeforeAll
    static void start() {
        redis = ServerProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void startAnew() {
        try (ScriptHost host = new ScriptHost("127.0.0.1", redis.port())) {
            host.flush();
            host.jedis().scriptFlush();
        }
    }

    private void permit(List<String> commands) {
        List<String> rules = new ArrayList<>(List.of("reset", "on", ">secret", "~weir:*"));
        commands.forEach(command -> rules.add("+" + command));
        try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
            jedis.aclSetUser("limiter", rules.toArray(String[]::new));
        }
    }

    private static List<Limit> kinds() {
        Limit log = Limit.of(9, HOUR);
        return List.of(
                log,
                Limit.slidingWindow(9, HOUR, 5),
                Limit.slidingWindowCounter(9, HOUR),
                Limit.fixedWindow(9, HOUR).aligned(),
                Limit.tokenBucket(9, 1, HOUR).startingWith(8),
                Limit.tokenBucket(9, 1, HOUR).refillingInSteps(),
                Limit.leakyBucket(3_600_000, HOUR),
                Limit.concurrency(9),
                Limit.allOf(log, Limit.concurrency(9).countingCalls()));
    }

    /** Takes, gives back, charges and asks how things are: by the short way of a script and by all of it. */
    private static Stream<DecisionSource> used(RateLimiter limiter) {
        List<Lease> leases = new ArrayList<>();
        for (int take = 0; take < 3; take++) {
            leases.add(limiter.acquire().join());
        }
        leases.get(0).giveBack();
        leases.get(1).settle(0);
        limiter.charge(1);
        leases.add(limiter.acquire().join());
        leases.forEach(Lease::close);
        Lease last = limiter.acquire().join();
        last.close(); // after which nothing is out
        leases.add(last);
        leases.add(limiter.acquire().join());
        return leases.stream().map(Lease::source);
    }

    private static List<DecisionSource> usedAll() {
        RedisClient client = RedisClient.create(RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(redis.port())
                .withAuthentication("limiter", "secret".toCharArray())
                .build());
        RedisOptions options = RedisOptions.defaults().deadline(Duration.ofSeconds(5));
        try (RedisRateLimiters fleet = RedisRateLimiters.connect(client, options)) {
            return kinds().stream()
                    .flatMap(limit -> used(fleet.limiter("of " + limit, limit)))
                    .toList();
        } finally {
            client.shutdown();
        }
    }

    @Test
    @DisplayName("with those every kind of limit is kept by the server")
    void enough() {
        permit(COMMANDS);
        assertThat(usedAll()).hasSize(6 * kinds().size()).containsOnly(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("a user who lacks one of the permissions cannot use every limit")
    void noneTooMany() {
        for (String command : COMMANDS) {
            startAnew();
            permit(COMMANDS.stream().filter(other -> !other.equals(command)).toList());
            assertThat(usedAll()).as("without " + command).contains(DecisionSource.FALLBACK);
        }
    }
}
