package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.AllOf;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/** Several nodes and one server, in real time. */
@MethodSource("dev.weir.redis.ServerProgram#named")
class FleetRealTimeTest extends NodesOnAServer {

    /** In how many periods the use is counted. */
    private static final int SPAN = 4;

    private RedisRateLimiters node() {
        return node(RedisOptions.defaults().deadline(Duration.ofSeconds(10)));
    }

    @Test
    @DisplayName("permits that are there come with the first answer, and Redis has decided")
    void permitsThatAreThere() {
        RateLimiter limiter = node().limiter("there", Limit.of(3, Duration.ofSeconds(30)));
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            leases.add(limiter.acquire().join());
        }
        assertThat(leases).allSatisfy(lease -> {
            assertThat(lease.isAcquired()).isTrue();
            assertThat(lease.source()).isEqualTo(DecisionSource.REMOTE);
        });
        RateLimiter other = node().limiter("there", Limit.of(3, Duration.ofSeconds(30)));
        await().untilAsserted(() -> assertThat(other.tryAcquire().retryAfter())
                .hasValueSatisfying(after -> assertThat(after).isGreaterThan(Duration.ofSeconds(20))));
    }

    @Test
    @DisplayName("a caller that tries and comes back is served")
    void whoComesBackIsServed() {
        RateLimiter limiter = node().limiter("again", Limit.of(1, Duration.ofMinutes(1)));
        await().pollInterval(Duration.ofMillis(2))
                .until(() -> limiter.tryAcquire().isAcquired());
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
    }

    @Test
    @DisplayName("eight nodes admit never more than the limit in any period, and nearly all of it")
    void eightNodesKeepTheLimit() {
        int permits = 40;
        long periodNanos = Duration.ofMillis(500).toNanos();
        checkSaturated(Limit.of(permits, Duration.ofMillis(500)), 8, permits, periodNanos, 97);
    }

    @Test
    @DisplayName("every kind of limit stays within its bound among eight nodes, which use nearly all of it")
    void everyKindStaysWithinItsBound() {
        Duration period = Duration.ofMillis(200);
        long nanos = period.toNanos();
        Map<Limit, Integer> most = Map.of(
                Limit.slidingWindow(20, period, 10), 20,
                Limit.tokenBucket(10, 20, period), 10 + 20,
                Limit.leakyBucket(20, period), 21,
                Limit.fixedWindow(20, period), 40,
                Limit.slidingWindowCounter(20, period), 40,
                Limit.allOf(Limit.of(20, period), Limit.tokenBucket(10, 30, period)), 20);
        most.forEach((limit, bound) -> checkSaturated(limit, 8, bound, nanos, 90));
    }

    /** All nodes ask for more than there is; the log is of the times at which the server says that permits are to be used. */
    private void checkSaturated(Limit limit, int count, int most, long periodNanos, int percent) {
        ConcurrentLinkedQueue<Long> log = new ConcurrentLinkedQueue<>();
        AtomicBoolean over = new AtomicBoolean();
        List<RateLimiter> limiters = new ArrayList<>();
        List<CountedCommands> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            CountedCommands commands =
                    new CountedCommands(new ServerGrants(new LettuceCommands(Wires.over(client.connect(), 32)), log));
            nodes.add(commands);
            RateLimiter limiter = Nodes.on(commands, RedisOptions.defaults().deadline(Duration.ofSeconds(2)))
                    .limiter("saturated " + limit, limit);
            limiters.add(limiter);
            for (int waiting = 0; waiting < 40; waiting++) {
                again(limiter, over);
            }
        }
        long begin = System.nanoTime();
        long nearlyAll = (long) percent * SPAN * perPeriod(limit);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(100 * mostUsed(sorted(log), periodNanos, System.nanoTime() - begin))
                        .as("used by %s, in hundredths", limit)
                        .isGreaterThanOrEqualTo(nearlyAll));
        over.set(true);
        limiters.forEach(RateLimiter::close);
        // What one node gives back another one may be granted before the first has heard of it.
        await().atMost(Duration.ofSeconds(20))
                .until(() -> nodes.stream().allMatch(commands -> commands.underWay() == 0));
        long[] times = sorted(log);
        for (int i = most; i < times.length; i++) {
            assertThat(times[i] - times[i - most])
                    .as("%s: grant %s of %s at %s", limit, i, times.length, Arrays.toString(times))
                    .isGreaterThanOrEqualTo(periodNanos);
        }
    }

    /** How many permits of it come back in each period. */
    private static int perPeriod(Limit limit) {
        if (limit instanceof AllOf several) {
            return several.limits().stream()
                    .mapToInt(FleetRealTimeTest::perPeriod)
                    .min()
                    .orElseThrow();
        }
        return limit instanceof TokenBucket bucket ? bucket.refillTokens() : limit.capacity();
    }

    private static long[] sorted(ConcurrentLinkedQueue<Long> log) {
        return log.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    /**
     * The most that was used in any span of those that are over, the first of which begins a period after the first grant. A
     * machine that stands still for a moment leaves permits unused; so the nodes go on until it did not.
     */
    private static long mostUsed(long[] times, long periodNanos, long elapsedNanos) {
        return LongStream.range(0, (elapsedNanos / periodNanos - 2) / SPAN)
                .map(span -> times[0] + (1 + span * SPAN) * periodNanos)
                .map(from -> Arrays.stream(times)
                        .filter(time -> time >= from && time < from + SPAN * periodNanos)
                        .count())
                .max()
                .orElse(-1);
    }

    private static void again(RateLimiter limiter, AtomicBoolean over) {
        if (!over.get()) {
            limiter.acquire(1, lease -> {
                if (lease.isAcquired()) {
                    again(limiter, over);
                }
            });
        }
    }
}
