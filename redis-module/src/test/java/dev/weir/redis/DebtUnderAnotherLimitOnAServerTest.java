package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes that change the limit of a window in debt, one after the other: they owe what one JVM would. */
class DebtUnderAnotherLimitOnAServerTest extends OnAServer {

    private static final Duration TRIP = Duration.ofMillis(1);
    private static final Duration SOON = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofHours(10);
    private static final int ALL = 10;

    private final VirtualTimeSource time = new VirtualTimeSource();

    /** Of so many permits in a period. */
    interface Kind {
        Limit of(int permits, Duration period);
    }

    static List<Kind> kinds() {
        return List.of(
                Limit::of,
                (permits, period) -> Limit.slidingWindow(permits, period, 5),
                (permits, period) -> Limit.allOf(Limit.of(permits, period), Limit.of(2 * permits, period)));
    }

    @BeforeEach
    void forget() {
        host.flush();
    }

    private List<RateLimiter> owing(Limit limit, int charged) {
        List<RateLimiter> nodes = Stream.generate(
                        () -> Nodes.on(new ServerInVirtualTime(host, time, TRIP), RedisOptions.defaults())
                                .builder("owing", limit)
                                .timeSource(time)
                                .build())
                .limit(2)
                .toList();
        CompletableFuture<Lease> all = nodes.get(0).acquire(ALL);
        time.advanceBy(SOON);
        assertThat(all).isCompletedWithValueMatching(Lease::isAcquired);
        nodes.get(1).charge(charged);
        time.advanceBy(SOON);
        return nodes;
    }

    private void changed(List<RateLimiter> nodes, Limit limit) {
        for (RateLimiter node : nodes) {
            node.reconfigure(limit);
            time.advanceBy(SOON);
        }
    }

    private Lease acquired(RateLimiter node, int permits) {
        CompletableFuture<Lease> answer = node.acquireWithin(permits, Duration.ZERO);
        time.advanceBy(SOON);
        assertThat(answer).isCompleted();
        return answer.join();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("of more permits, as many more are there")
    void morePermits(Kind kind) {
        List<RateLimiter> nodes = owing(kind.of(ALL, LONG), 4);
        changed(nodes, kind.of(2 * ALL, LONG));
        assertThat(nodes).allSatisfy(node -> assertThat(node.availablePermits()).isEqualTo(6));
        assertThat(acquired(nodes.get(1), 2).isAcquired()).isTrue();
        assertThat(acquired(nodes.get(0), 4).isAcquired()).isTrue();
        assertThat(acquired(nodes.get(0), 1).isAcquired()).isFalse();
        nodes.forEach(RateLimiter::close);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("in a shorter period it is repaid as soon")
    void shorterPeriod(Kind kind) {
        List<RateLimiter> nodes = owing(kind.of(ALL, LONG), 1);
        changed(nodes, kind.of(ALL, Duration.ofSeconds(1)));
        time.advanceBy(Duration.ofSeconds(2));
        assertThat(acquired(nodes.get(0), 1).isAcquired()).isTrue();
        nodes.forEach(RateLimiter::close);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("of fewer permits it is repaid as late")
    void fewerPermits(Kind kind) {
        List<RateLimiter> nodes = owing(kind.of(ALL, LONG), 25);
        changed(nodes, kind.of(ALL / 2, LONG));
        assertThat(acquired(nodes.get(0), 1).retryAfter().orElseThrow())
                .isBetween(LONG.multipliedBy(6).minusMinutes(1), LONG.multipliedBy(6));
        nodes.forEach(RateLimiter::close);
    }
}
