package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One node with more callers than its limit lets pass, in virtual time: how much of the limit it uses, and how often it asks. */
class BusyNodeLawsTest extends ScriptsOnAServer {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long MILLI = DistantNodes.MILLI;
    private static final long[] TRIPS_IN_MILLIS = {1, 5, 20};

    /** Always somebody waits for whom nothing is booked. */
    private static final int VERY_MANY = 1_000;

    /** How many requests a bucket books for one question. */
    private static final int MOST_IN_SERIES = 128;

    private final DistantNodes fleet = new DistantNodes();
    private long granted;
    private long asked;
    private int demands;

    private record Demand(Limit limit, int perSecond, int callers, long tripNanos) {

        /** How many are granted in a second if a node asks when what is booked is used up, and one of its callers is too late. */
        long oneAfterTheOther() {
            long together = callers - 1L;
            long eachNanos = SECOND.toNanos() / perSecond;
            return together * SECOND.toNanos() / (tripNanos + together * eachNanos);
        }
    }

    private static Stream<Limit> limits(int perSecond) {
        return Stream.of(
                Limit.leakyBucket(perSecond, SECOND),
                Limit.tokenBucket(1, perSecond, SECOND),
                Limit.of(perSecond, SECOND));
    }

    private static Stream<Demand> demands(int perSecond, int callers) {
        return limits(perSecond)
                .flatMap(limit -> Arrays.stream(TRIPS_IN_MILLIS)
                        .mapToObj(trip -> new Demand(limit, perSecond, callers, trip * MILLI)));
    }

    /** More is due within the time that is booked ahead than is booked for one question. */
    static Stream<Demand> cutShort() {
        Demand fast = new Demand(Limit.leakyBucket(10_000, SECOND), 10_000, VERY_MANY, MILLI);
        return Stream.concat(demands(2_000, VERY_MANY), Stream.of(fast));
    }

    /** All that is due within the time that is booked ahead is booked for one question. */
    static Stream<Demand> bookedAhead() {
        return Stream.of(20, 200, 500).flatMap(perSecond -> demands(perSecond, VERY_MANY));
    }

    /** All who wait are booked. */
    static Stream<Demand> fewCallers() {
        return Stream.of(3, 10, 30)
                .flatMap(callers -> Stream.of(200, 500, 2_000).flatMap(perSecond -> demands(perSecond, callers)));
    }

    @ParameterizedTest
    @MethodSource("cutShort")
    @DisplayName("a busy node whose booking is cut short asks for more in time, and not too soon")
    void cutShort(Demand demand) {
        Second second = second(demand);
        assertThat(second.granted).isBetween(demand.perSecond * 99L / 100, demand.perSecond * 101L / 100);
        assertThat(second.asked).isLessThanOrEqualTo(demand.perSecond / MOST_IN_SERIES + 2);
    }

    @ParameterizedTest
    @MethodSource("bookedAhead")
    @DisplayName("a busy node booked for a quarter of a second asks when a quarter of that is left")
    void bookedAhead(Demand demand) {
        Second second = second(demand);
        assertThat(second.granted).isBetween(demand.perSecond - 1L, demand.perSecond + 1L);
        assertThat(second.asked).isLessThanOrEqualTo(6);
    }

    @ParameterizedTest
    @MethodSource("fewCallers")
    @DisplayName("a node with few callers asks for them together: for as many as are due within a trip, or for all")
    void fewCallers(Demand demand) {
        Second second = second(demand);
        assertThat(second.granted)
                .isBetween(Math.min(demand.perSecond, demand.oneAfterTheOther()) * 99 / 100, demand.perSecond + 1L);
        long least = Math.min(demand.callers - 1L, demand.perSecond * demand.tripNanos / SECOND.toNanos());
        assertThat(second.asked * Math.max(1, least)).isLessThanOrEqualTo(second.granted + demand.callers);
    }

    private record Second(long granted, long asked) {}

    /** What happens in the second second. */
    private Second second(Demand demand) {
        DistantStore distant = fleet.store(host, "busy" + ++demands, "node");
        distant.isFromNowOnAway(demand.tripNanos);
        Store counting = (limit, question, listener) -> {
            asked++;
            distant.ask(limit, question, listener);
        };
        RateLimiter node = fleet.node(demand.limit, counting, "node");
        for (int caller = 0; caller < demand.callers; caller++) {
            goOn(node);
        }
        fleet.advance(SECOND);
        granted = 0;
        asked = 0;
        fleet.advance(SECOND);
        Second second = new Second(granted, asked);
        node.close();
        return second;
    }

    /** Asks again as soon as granted. */
    private void goOn(RateLimiter node) {
        node.acquire(1, lease -> {
            if (lease.isAcquired()) {
                granted++;
                goOn(node);
            }
        });
    }
}
