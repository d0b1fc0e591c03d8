package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes where somebody always waits, and every request turns out to have cost less, or more, than was taken for it. */
class SettledOnNodesTest extends OnAServer {

    private static final int PER_SECOND = 500;
    private static final int TAKEN = 5;
    private static final int WAITERS = 20;
    private static final int SECONDS = 2;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TRIP = Duration.ofNanos(500_000);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private long granted;
    private boolean over;

    static List<Limit> limits() {
        return List.of(
                Limit.tokenBucket(10, PER_SECOND, SECOND),
                Limit.tokenBucket(PER_SECOND, PER_SECOND, SECOND),
                Limit.leakyBucket(PER_SECOND, SECOND),
                Limit.of(PER_SECOND / 10, SECOND.dividedBy(10)),
                Limit.of(PER_SECOND, SECOND));
    }

    private void again(RateLimiter limiter, int used, Duration after) {
        if (!over) {
            limiter.acquire(TAKEN, lease -> {
                if (lease.isAcquired()) {
                    granted++;
                    TimeSource.Cancellable unused = time.schedule(() -> lease.settle(used), after.toNanos());
                    again(limiter, used, after);
                }
            });
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("several nodes are not slower for what they give back than they would be if they kept it")
    void severalNodes(Limit limit) {
        assertThat(grantedASecond(4, limit, TAKEN - 1, Duration.ZERO) * 100)
                .isGreaterThanOrEqualTo(85L * PER_SECOND / TAKEN);
    }

    @Test
    @DisplayName("of a bucket that holds more than is booked at a time, they use most of what comes back")
    void largeBuckets() {
        Limit limit = Limit.tokenBucket(PER_SECOND, PER_SECOND, SECOND);
        assertThat(grantedASecond(4, limit, 1, Duration.ZERO) * 100).isBetween(75L * PER_SECOND, 101L * PER_SECOND);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    @DisplayName("a fleet uses most of a small bucket whose requests are settled late")
    void settledLate(int nodes) {
        Limit limit = Limit.tokenBucket(PER_SECOND, PER_SECOND, SECOND);
        assertThat(grantedASecond(nodes, limit, 1, Duration.ofMillis(50)) * 100)
                .isBetween(75L * PER_SECOND, 101L * PER_SECOND);
    }

    @ParameterizedTest
    @MethodSource("limitsAndDelays")
    @DisplayName("several nodes use all of a limit where requests turn out to have cost more, at once or late")
    void settledForMore(Limit limit, Duration after) {
        int used = TAKEN + 1;
        assertThat(grantedASecond(4, limit, used, after) * used * 100).isBetween(95L * PER_SECOND, 101L * PER_SECOND);
    }

    static Stream<Arguments> limitsAndDelays() {
        return limits().stream()
                .flatMap(limit ->
                        Stream.of(Duration.ZERO, Duration.ofMillis(50)).map(after -> Arguments.of(limit, after)));
    }

    /** So many nodes with many who wait on each, all of whose requests turn out to have used so much. */
    private long grantedASecond(int count, Limit limit, int used, Duration after) {
        host.flush();
        List<RateLimiter> nodes = new ArrayList<>();
        for (int node = 0; node < count; node++) {
            RateLimiter limiter = Nodes.on(new ServerInVirtualTime(host, time, TRIP), RedisOptions.defaults())
                    .builder("settled", limit)
                    .timeSource(time)
                    .build();
            nodes.add(limiter);
            for (int waiter = 0; waiter < WAITERS; waiter++) {
                again(limiter, used, after);
            }
        }
        advance(SECOND);
        granted = 0;
        advance(SECOND.multipliedBy(SECONDS));
        over = true;
        nodes.forEach(RateLimiter::close);
        return granted / SECONDS;
    }

    private void advance(Duration duration) {
        for (Duration gone = Duration.ZERO; gone.compareTo(duration) < 0; gone = gone.plusMillis(1)) {
            time.advanceBy(Duration.ofMillis(1));
        }
    }
}
