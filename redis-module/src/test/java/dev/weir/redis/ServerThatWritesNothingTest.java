package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;

/** A server that answers who reads, and refuses who writes: it has done nothing, and is away until it writes again. */
class ServerThatWritesNothingTest extends ScriptsOnAServer {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit LIMIT = Limit.of(100, HOUR);
    private static final Duration SETTLED = Duration.ofSeconds(3);

    /** Why it refuses. */
    private enum Reason {
        READONLY {
            @Override
            void set(Jedis server, boolean on) {
                if (on) {
                    server.slaveof("127.0.0.1", 1);
                } else {
                    server.slaveofNoOne();
                }
            }
        },
        NOREPLICAS {
            @Override
            void set(Jedis server, boolean on) {
                server.configSet("min-replicas-to-write", on ? "1" : "0");
            }
        },
        OOM {
            @Override
            void set(Jedis server, boolean on) {
                server.configSet("maxmemory-policy", "noeviction");
                server.configSet("maxmemory", on ? "1" : "0");
            }
        };

        abstract void set(Jedis server, boolean on);
    }

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final ScriptStore scripts = new ScriptStore(host, "full", time);
    private final List<Question> asked = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();

    private void ask(Limit limit, Question question, Store.Listener listener) {
        asked.add(question);
        try {
            scripts.ask(limit, question, listener);
        } catch (JedisDataException error) {
            refused.add(error.getMessage());
            listener.failed(new RedisCommandExecutionException(error.getMessage()));
        }
    }

    private RateLimiter limiter(WhenUnavailable choice) {
        return ModelFleet.builder(LIMIT, this::ask, choice).timeSource(time).build();
    }

    private static void take(RateLimiter limiter, int permits, DecisionSource source) {
        CompletableFuture<Lease> lease = limiter.acquire(permits);
        assertThat(lease).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(lease.join().source()).isEqualTo(source);
    }

    private void whileItWritesNothing(Reason reason, Runnable what) {
        reason.set(host.jedis(), true);
        try {
            what.run();
        } finally {
            reason.set(host.jedis(), false);
        }
        assertThat(refused).isNotEmpty().allMatch(message -> message.contains(reason.name()));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a node reports once what it admitted, charged or gave back while the server wrote nothing")
    void toldLater(Reason reason) {
        RateLimiter limiter = limiter(WhenUnavailable.LOCAL);
        Lease before = limiter.acquire(20).join();
        whileItWritesNothing(reason, () -> {
            before.giveBack();
            for (int i = 0; i < 9; i++) {
                take(limiter, 3, DecisionSource.FALLBACK);
                time.advanceBy(Duration.ofMillis(200));
            }
            limiter.charge(10);
            time.advanceBy(SETTLED);
        });
        time.advanceBy(SETTLED);
        assertThat(limiter.availablePermits()).isEqualTo(100 - 27 - 10);
        take(limiter, 63, DecisionSource.REMOTE);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a server that writes nothing is asked ever less often")
    void askedLessOften(Reason reason) {
        RateLimiter limiter = limiter(WhenUnavailable.REFUSE);
        whileItWritesNothing(reason, () -> {
            for (int i = 0; i < 800; i++) {
                assertThat(limiter.tryAcquire().isAcquired()).isFalse();
                time.advanceBy(Duration.ofMillis(10));
            }
        });
        assertThat(asked).hasSizeBetween(10, 30);
        time.advanceBy(SETTLED);
        take(limiter, 100, DecisionSource.REMOTE);
    }
}
