package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many keys of a node admitted alone what still counts: they all report when the server is back, and nobody else is held up by that. */
class ReportsOfManyKeysTest extends OnAServer {

    private static final int KEYS = 3_000;
    private static final Limit ONCE = Limit.of(1, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final BusyServer server = new BusyServer(host, time);

    private RedisRateLimiters node(long seed) {
        return node(seed, RedisOptions.defaults());
    }

    private RedisRateLimiters node(long seed, RedisOptions options) {
        return Nodes.on(server, options, Nodes.node(new Random(seed)));
    }

    private PartitionedRateLimiter<String> users(RedisRateLimiters node, Function<String, Limit> limitOf) {
        return node.partitionedBuilder("users", limitOf).timeSource(time).build();
    }

    private static String user(int number) {
        return "user " + number;
    }

    /** Has each user admitted once during an outage, one in a millisecond. */
    private void eachAlone(PartitionedRateLimiter<String> users) {
        server.isGone = true;
        for (int number = 0; number < KEYS; number++) {
            Lease lease = users.forKey(user(number)).tryAcquire();
            assertThat(lease.isAcquired()).as(user(number)).isTrue();
            assertThat(lease.source()).isEqualTo(DecisionSource.FALLBACK);
            time.advanceBy(Duration.ofMillis(1));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "from the server's return on the other limiters of the node ask it again, and all stay with it, though requests wait")
    void othersAreNotHeldUp(boolean someWait) {
        for (long seed = 1; seed <= 3; seed++) {
            host.flush();
            RedisRateLimiters node = node(seed);
            RateLimiter other = node.builder("other", Limit.of(1_000, Duration.ofSeconds(1)))
                    .timeSource(time)
                    .build();
            PartitionedRateLimiter<String> users = users(node, user -> ONCE);
            eachAlone(users);
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int number = 0; someWait && number < KEYS; number++) {
                waiting.add(users.forKey(user(number)).acquire());
            }
            time.advanceBy(Duration.ofSeconds(1));
            server.isGone = false;
            List<DecisionSource> sources = new ArrayList<>();
            for (int call = 0; call < 200; call++) {
                CompletableFuture<Lease> lease = other.acquireWithin(1, Duration.ZERO);
                time.advanceBy(Duration.ofMillis(60));
                sources.add(lease.join().source());
            }
            int first = sources.indexOf(DecisionSource.REMOTE);
            assertThat(first).as("seed %d", seed).isBetween(0, 1_000 / 60 + 1);
            assertThat(sources.subList(first, sources.size()))
                    .as("seed %d", seed)
                    .containsOnly(DecisionSource.REMOTE);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            node.close();
        }
    }

    @Test
    @DisplayName("after a single failure a request that waits asks again soon, not only when its limit would report")
    void waitsAfterOneFailure() {
        host.flush();
        RedisRateLimiters node = node(1);
        RateLimiter room =
                node.builder("room", Limit.concurrency(1)).timeSource(time).build();
        server.isGone = true;
        CompletableFuture<Lease> held = room.acquire();
        assertThat(held.join().source()).isEqualTo(DecisionSource.FALLBACK);
        CompletableFuture<Lease> waiting = room.acquire();
        server.isGone = false;
        time.advanceBy(Duration.ofMillis(60));
        assertThat(server.asked).isPositive();
        held.join().close();
        time.advanceBy(Duration.ofMillis(5));
        assertThat(waiting.join().source()).isEqualTo(DecisionSource.REMOTE);
        node.close();
    }

    @Test
    @DisplayName("two seconds after the server's return each key has reported: another node admits nothing more")
    void reportedSoon() {
        host.flush();
        RedisRateLimiters node = node(1);
        eachAlone(users(node, user -> ONCE));
        server.isGone = false;
        time.advanceBy(Duration.ofSeconds(2));
        assertThat(server.mostUnanswered).isLessThan(32);

        RedisRateLimiters elsewhere = node(2);
        PartitionedRateLimiter<String> users = users(elsewhere, user -> ONCE);
        for (int number = 0; number < KEYS; number++) {
            CompletableFuture<Lease> lease = users.forKey(user(number)).acquireWithin(1, Duration.ZERO);
            time.advanceBy(Duration.ofMillis(1));
            assertThat(lease.join().isAcquired()).as(user(number)).isFalse();
            assertThat(lease.join().source()).isEqualTo(DecisionSource.REMOTE);
        }
        node.close();
        elsewhere.close();
    }

    @Test
    @DisplayName("they report in the end, though at first each is answered with an error, at once")
    void refusedAtFirst() {
        host.flush();
        RedisRateLimiters node = node(1);
        eachAlone(users(node, user -> ONCE));
        server.isGone = false;
        server.isRefusing = true;
        time.advanceBy(Duration.ofSeconds(2));
        server.isRefusing = false;
        assertThat(host.jedis().dbSize()).isZero();
        time.advanceBy(Duration.ofSeconds(3));
        assertThat(host.jedis().dbSize()).isEqualTo(KEYS);
        node.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 10, 100})
    @DisplayName("the same where few calls may be in flight: who could not ask waits, too, and reports soon")
    void fewInFlight(int most) {
        host.flush();
        RedisRateLimiters node = node(1, RedisOptions.defaults().maxInFlight(most));
        PartitionedRateLimiter<String> users = users(node, user -> ONCE);
        server.isStalled = true;
        for (int number = 0; number < KEYS; number++) {
            CompletableFuture<Lease> lease = users.forKey(user(number)).acquire();
            time.advanceBy(Duration.ofNanos(10_000));
            assertThat(lease.isDone()).isEqualTo(number >= most);
        }
        assertThat(time.pendingTasks()).isLessThan(5 * most + 5);
        time.advanceBy(Duration.ofSeconds(2));
        assertThat(time.pendingTasks()).isLessThan(5 * most + 5);
        server.goesOn();
        time.advanceBy(Duration.ofSeconds(1 + KEYS / (20 * most)));
        assertThat(host.jedis().dbSize()).isEqualTo(KEYS);
        node.close();
    }

    @Test
    @DisplayName(
            "meanwhile they have no timer each, and keys that have nothing left to report are forgotten, though others have")
    void littleIsKept() {
        List<WeakReference<Limit>> limits = new ArrayList<>();
        RedisRateLimiters node = node(1);
        PartitionedRateLimiter<String> users = users(node, user -> {
            Limit own = Limit.of(1, Duration.ofMillis(100).plusNanos(limits.size()));
            limits.add(new WeakReference<>(own));
            return user.endsWith("0") ? ONCE : own;
        });
        eachAlone(users);
        assertThat(time.pendingTasks()).isLessThan(10);
        System.gc();
        assertThat(limits).hasSizeGreaterThanOrEqualTo(KEYS);
        assertThat(limits.stream().filter(limit -> !limit.refersTo(null)).count())
                .isLessThan(KEYS / 5);
        node.close();
    }
}
