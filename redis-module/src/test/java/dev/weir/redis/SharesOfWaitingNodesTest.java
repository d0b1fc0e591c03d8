package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Two nodes, on each of which more requests wait than the limit lets pass. */
class SharesOfWaitingNodesTest extends ScriptsOnAServer {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int PER_SECOND = 60;

    private final DistantNodes fleet = new DistantNodes();
    private final int[] granted = new int[2];

    static List<Limit> buckets() {
        return List.of(
                Limit.tokenBucket(PER_SECOND, PER_SECOND, SECOND),
                Limit.tokenBucket(1, PER_SECOND, SECOND),
                Limit.leakyBucket(PER_SECOND, SECOND));
    }

    @ParameterizedTest
    @MethodSource("buckets")
    @DisplayName("of a bucket both have their part in every second, though not the same")
    void ofABucket(Limit limit) {
        List<RateLimiter> nodes = List.of(node(limit, 0), node(limit, 1));
        for (int request = 0; request < 1_000; request++) {
            nodes.get(0).acquire(1, lease -> granted[0]++);
            nodes.get(1).acquire(1, lease -> granted[1]++);
        }
        fleet.advance(SECOND); // with what a bucket holds in the beginning
        for (int second = 0; second < 6; second++) {
            granted[0] = 0;
            granted[1] = 0;
            fleet.advance(SECOND);
            assertThat(granted[0] + granted[1]).isBetween(PER_SECOND - 1, PER_SECOND + 1);
            assertThat(Math.min(granted[0], granted[1])).isGreaterThan(PER_SECOND / 10);
        }
    }

    static Stream<Arguments> windowsAndCharges() {
        Map<Limit, Integer> windows = Map.of(
                Limit.of(PER_SECOND, SECOND), 1,
                Limit.of(PER_SECOND / 10, SECOND.dividedBy(10)), 10,
                Limit.fixedWindow(PER_SECOND, SECOND), 1);
        return Stream.of(1_000, 200, 50)
                .flatMap(millis -> windows.entrySet().stream()
                        .map(window -> Arguments.of(window.getKey(), window.getValue(), millis)));
    }

    /** For so long that the node gives up its bookings three times, each of which may cost it a period. */
    @ParameterizedTest
    @MethodSource("windowsAndCharges")
    @DisplayName("of a window a node has its part however often it is charged: about a permit in a period at least")
    void chargedAgainAndAgain(Limit limit, int periodsASecond, int everyMillis) {
        int seconds = 25;
        List<RateLimiter> nodes = List.of(node(limit, 0), node(limit, 1));
        for (int request = 0; request < PER_SECOND * seconds; request++) {
            nodes.get(0).acquire(1, lease -> granted[0]++);
            nodes.get(1).acquire(1, lease -> granted[1]++);
        }
        charge(nodes.get(0), everyMillis);
        fleet.advance(SECOND);
        granted[0] = 0;
        fleet.advance(SECOND.multipliedBy(seconds));
        assertThat(granted[0]).isGreaterThanOrEqualTo((seconds - 3) * periodsASecond);
    }

    private void charge(RateLimiter node, int everyMillis) {
        fleet.later(everyMillis * DistantNodes.MILLI, () -> {
            node.charge(1);
            charge(node, everyMillis);
        });
    }

    private RateLimiter node(Limit limit, int number) {
        return fleet.node(limit, fleet.store(host, "shares", "node" + number), "node" + number);
    }
}
