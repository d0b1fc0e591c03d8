package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Several nodes on which requests of different sizes always wait, in virtual time: how much of the limit they use. */
class MixedSizesLawsTest extends ScriptsOnAServer {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int PER_SECOND = 100;
    private static final int CALLERS = 8;
    private static final int SECONDS = 5;
    private static final long LONGEST_STAY = 150 * DistantNodes.MILLI;

    /** How often a node may ask in a second: 100 permits are granted, and some 50 requests leave. */
    private static final int MOST_TRIPS = 40;

    private static final List<Limit> LIMITS = List.of(
            Limit.tokenBucket(20, PER_SECOND, SECOND),
            Limit.leakyBucket(PER_SECOND, SECOND),
            Limit.leakyBucket(PER_SECOND, SECOND).withSlack(5),
            Limit.of(PER_SECOND, SECOND),
            Limit.slidingWindowCounter(PER_SECOND, SECOND),
            Limit.fixedWindow(PER_SECOND, SECOND),
            Limit.allOf(
                    Limit.tokenBucket(20, PER_SECOND, SECOND),
                    Limit.of(1_000, SECOND).countingCalls()));

    private static int fleets;

    private final DistantNodes fleet = new DistantNodes();
    private boolean isLeaving;
    private boolean isOver;
    private long granted;
    private long asked;

    private record Crowd(Limit limit, int nodes, int largest, long seed) {}

    static Stream<Crowd> crowds() {
        return LIMITS.stream()
                .flatMap(limit -> Stream.of(
                        new Crowd(limit, 2, 3, 1),
                        new Crowd(limit, 4, 3, 2),
                        new Crowd(limit, 2, 10, 3),
                        new Crowd(limit, 4, 10, 4)));
    }

    @ParameterizedTest
    @MethodSource("crowds")
    @DisplayName("requests of different sizes, waiting on several nodes, use the limit as those on one do")
    void together(Crowd crowd) {
        long alone = used(new Crowd(crowd.limit, 1, crowd.largest, crowd.seed));
        assertThat(used(crowd)).as("of %d on one node", alone).isGreaterThanOrEqualTo(alone * 97 / 100);
    }

    @ParameterizedTest
    @MethodSource("crowds")
    @DisplayName("if every other request leaves while it waits, most of the limit is used, and a node asks rarely")
    void someLeave(Crowd crowd) {
        isLeaving = true;
        long used = used(crowd);
        assertThat(used).isGreaterThanOrEqualTo(SECONDS * PER_SECOND * 80L / 100);
        assertThat(asked).isLessThanOrEqualTo((long) crowd.nodes * SECONDS * MOST_TRIPS);
    }

    private long used(Crowd crowd) {
        Random random = new Random(crowd.seed);
        String tag = "sizes" + ++fleets;
        List<RateLimiter> nodes = new ArrayList<>();
        for (int number = 0; number < crowd.nodes; number++) {
            String name = "node" + number;
            DistantStore distant = fleet.store(host, tag, name);
            Store counting = (limit, question, listener) -> {
                asked++;
                distant.ask(limit, question, listener);
            };
            nodes.add(fleet.node(crowd.limit, counting, name));
        }
        for (int caller = 0; caller < CALLERS * crowd.nodes; caller++) {
            goOn(nodes.get(caller % crowd.nodes), crowd.largest, random);
        }
        fleet.advance(SECOND); // with what a bucket holds in the beginning
        granted = 0;
        asked = 0;
        fleet.advance(SECOND.multipliedBy(SECONDS));
        long used = granted;
        isOver = true;
        nodes.forEach(RateLimiter::close);
        isOver = false;
        return used;
    }

    /** Asks again as soon as granted, or gone, for another number. */
    private void goOn(RateLimiter node, int largest, Random random) {
        if (isOver) {
            return;
        }
        int permits = 1 + random.nextInt(largest);
        PermitRequest request = node.acquire(permits, lease -> {
            if (lease.isAcquired()) {
                granted += permits;
                goOn(node, largest, random);
            }
        });
        if (isLeaving && random.nextBoolean()) {
            fleet.later(random.nextLong(LONGEST_STAY), () -> {
                if (request.cancel()) {
                    goOn(node, largest, random);
                }
            });
        }
    }
}
