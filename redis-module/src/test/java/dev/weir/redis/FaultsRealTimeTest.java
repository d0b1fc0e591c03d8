package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever happens to the server or the connection: no call outlives its deadline, and all is well again by itself. */
@ParameterizedClass
@MethodSource("dev.weir.redis.ServerProgram#named")
class FaultsRealTimeTest {

    private static final Duration DEADLINE = Duration.ofMillis(300);
    private static final Duration PATIENT = Duration.ofSeconds(8);
    private static final Limit MANY = Limit.tokenBucket(1_000_000, 1_000_000, Duration.ofSeconds(1));

    @Parameter
    private ServerProgram program;

    private ServerProcess redis;
    private final List<AutoCloseable> closing = new ArrayList<>();

    @BeforeEach
    void start() {
        redis = ServerProcess.start(program);
        closing.add(() -> redis.close());
    }

    @AfterEach
    void stop() throws Exception {
        for (int i = closing.size() - 1; i >= 0; i--) {
            closing.get(i).close();
        }
    }

    private RedisClient client(int port) {
        RedisClient client = RedisClient.create(RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(port)
                .withTimeout(Duration.ofSeconds(30))
                .build());
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(1_000)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofSeconds(1))
                        .build())
                .build());
        closing.add(() -> client.shutdown(0, 1, TimeUnit.SECONDS));
        return client;
    }

    private RedisRateLimiters fleet(int port, WhenUnavailable whenUnavailable) {
        return fleet(port, whenUnavailable, DEADLINE);
    }

    private RedisRateLimiters fleet(int port, WhenUnavailable whenUnavailable, Duration deadline) {
        RedisRateLimiters fleet = RedisRateLimiters.connect(
                client(port), RedisOptions.defaults().deadline(deadline).whenUnavailable(whenUnavailable));
        closing.add(fleet);
        return fleet;
    }

    /** Asks once. A machine with more to do than it can adds what it likes to the deadline, which virtual time holds elsewhere. */
    private static Lease ask(RateLimiter limiter) {
        return limiter.acquire().orTimeout(10, TimeUnit.SECONDS).join();
    }

    private static void awaitSource(RateLimiter limiter, DecisionSource source) {
        await().atMost(Duration.ofSeconds(20)).until(() -> ask(limiter).source() == source);
    }

    @Test
    @DisplayName("a server that hangs: refused, allowed, or limited alone, as chosen; and back when it goes on")
    void aServerThatHangs() throws Exception {
        RateLimiter refusing = fleet(redis.port(), WhenUnavailable.REFUSE).limiter("refuse", MANY);
        Limit one = Limit.of(1, Duration.ofHours(1));
        RateLimiter allowing = fleet(redis.port(), WhenUnavailable.ALLOW).limiter("allow", one);
        RateLimiter whoTakesAll =
                fleet(redis.port(), WhenUnavailable.REFUSE, PATIENT).limiter("allow", one);
        RateLimiter local = fleet(redis.port(), WhenUnavailable.LOCAL).limiter("local", MANY);
        awaitSource(refusing, DecisionSource.REMOTE);
        awaitSource(local, DecisionSource.REMOTE);
        awaitSource(whoTakesAll, DecisionSource.REMOTE);
        redis.pause();
        closing.add(() -> redis.goOn());
        Lease refused = ask(refusing);
        assertThat(refused.reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(refused.source()).isEqualTo(DecisionSource.FALLBACK);
        assertThat(refused.cause()).isPresent();
        assertThat(ask(refusing).retryAfter()).isPresent();
        assertThat(ask(local).isAcquired()).isTrue();
        assertThat(ask(local).source()).isEqualTo(DecisionSource.FALLBACK);
        Lease allowed = allowing.tryAcquire();
        await().until(() -> allowing.tryAcquire().isAcquired());
        assertThat(allowed.isAcquired()).isFalse();
        redis.goOn();
        awaitSource(refusing, DecisionSource.REMOTE);
        awaitSource(local, DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("a server that is killed and started again, without its scripts and keys")
    void aServerThatRestarts() {
        int port = redis.port();
        RateLimiter limiter = fleet(port, WhenUnavailable.LOCAL).limiter("restart", MANY);
        awaitSource(limiter, DecisionSource.REMOTE);
        redis.close();
        awaitSource(limiter, DecisionSource.FALLBACK);
        redis = ServerProcess.start(program, port);
        awaitSource(limiter, DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("scripts that are forgotten under load are brought again, and nobody notices")
    void scriptsForgotten() throws Exception {
        RateLimiter limiter =
                fleet(redis.port(), WhenUnavailable.REFUSE, PATIENT).limiter("flush", MANY);
        awaitSource(limiter, DecisionSource.REMOTE);
        AtomicInteger refused = new AtomicInteger();
        try (ScriptHost host = new ScriptHost("127.0.0.1", redis.port())) {
            for (int i = 0; i < 50; i++) {
                host.jedis().scriptFlush();
                List<CompletableFuture<Lease>> asked = new ArrayList<>();
                for (int k = 0; k < 20; k++) {
                    asked.add(limiter.acquire());
                }
                asked.forEach(each -> refused.addAndGet(each.join().isAcquired() ? 0 : 1));
            }
        }
        assertThat(refused).hasValue(0);
    }

    @Test
    @DisplayName("connections that delay, stall, trickle or are reset")
    void connectionsThatMisbehave() throws IOException {
        FaultyProxy proxy = new FaultyProxy(redis.port());
        closing.add(proxy);
        RateLimiter limiter = fleet(proxy.port(), WhenUnavailable.LOCAL).limiter("proxy", MANY);
        RateLimiter patient =
                fleet(proxy.port(), WhenUnavailable.LOCAL, PATIENT).limiter("patient", MANY);
        awaitSource(limiter, DecisionSource.REMOTE);
        awaitSource(patient, DecisionSource.REMOTE);
        proxy.fault(FaultyProxy.Fault.DELAY);
        assertThat(ask(patient).source()).as("200 ms late is in time").isEqualTo(DecisionSource.REMOTE);
        for (FaultyProxy.Fault fault : List.of(FaultyProxy.Fault.STALL, FaultyProxy.Fault.TRICKLE)) {
            proxy.fault(fault);
            awaitSource(limiter, DecisionSource.FALLBACK);
            proxy.fault(FaultyProxy.Fault.NONE);
            awaitSource(limiter, DecisionSource.REMOTE);
        }
        proxy.reset(true);
        awaitSource(limiter, DecisionSource.FALLBACK);
        proxy.reset(false);
        awaitSource(limiter, DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("a server that is not there at first is used once it starts")
    void nobodyThereAtFirst() {
        int port = redis.port();
        redis.close();
        RateLimiter limiter = fleet(port, WhenUnavailable.LOCAL).limiter("first", MANY);
        assertThat(ask(limiter).isAcquired()).isTrue();
        assertThat(ask(limiter).source()).isEqualTo(DecisionSource.FALLBACK);
        redis = ServerProcess.start(program, port);
        awaitSource(limiter, DecisionSource.REMOTE);
    }
}
