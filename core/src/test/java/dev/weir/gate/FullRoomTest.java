package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.ForeignLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.AllOf;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A room that is full of one key's elements: whoever has a permit of another key needs none, whatever the limit. */
class FullRoomTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int EXHAUSTED = 1;
    private static final int ALSO_EXHAUSTED = 2;

    private final PassingTime time = new PassingTime(new Random(1), 0);
    private final Map<Integer, RateLimiter> limiters = new HashMap<>();
    private final Downstream downstream = new Downstream();

    static Stream<Arguments> cases() {
        Limit rate = Limit.of(2, SECOND);
        Limit slots = Limit.concurrency(2);
        return Stream.of(rate, slots, Limit.allOf(rate, slots), slots.countingCalls())
                .flatMap(limit -> Stream.of(Arguments.of(limit, false), Arguments.of(limit, true)));
    }

    @ParameterizedTest(name = "{0}, foreign: {1}")
    @MethodSource("cases")
    @DisplayName("it goes at once, its lease is closed, and what has no permit is rejected without a refusal")
    void passes(Limit limit, boolean foreign) {
        ElementGate<Integer> gate = started(limit, foreign, WhenFull.REJECT_NEW);
        gate.offer(13);
        gate.offer(23);
        gate.offer(ALSO_EXHAUSTED);
        gate.offer(11);
        assertThat(downstream.received).containsExactly(13, 23);
        assertThat(downstream.lost).containsExactly(ALSO_EXHAUSTED, 11);
        assertThat(gate.held()).isEqualTo(1);
        assertThat(of(3).availablePermits()).isEqualTo(isByTime(limit) ? 0 : 2);
        for (int key = 1; key <= 2; key++) {
            assertThat(of(key).statistics().refused()).isZero();
        }
        gate.cancel();
    }

    @ParameterizedTest(name = "{0}, foreign: {1}")
    @MethodSource("cases")
    @DisplayName("nothing fails for it, and nothing is evicted")
    void costsNobody(Limit limit, boolean foreign) {
        for (WhenFull whenFull : WhenFull.values()) {
            ElementGate<Integer> gate = started(limit, foreign, whenFull);
            gate.offer(3);
            assertThat(downstream.received).containsExactly(3);
            assertThat(downstream.lost).isEmpty();
            assertThat(gate.isEnded()).isFalse();
            gate.cancel();
            downstream.received.clear();
            downstream.lost.clear();
            limiters.clear();
        }
    }

    @ParameterizedTest(name = "{0}, foreign: {1}")
    @MethodSource("cases")
    @DisplayName("without demand it needs room like any other")
    void withoutDemand(Limit limit, boolean foreign) {
        ElementGate<Integer> gate = started(limit, foreign, WhenFull.REJECT_NEW, 1);
        gate.offer(3);
        gate.offer(4);
        assertThat(downstream.received).containsExactly(3);
        assertThat(downstream.lost).containsExactly(4);
        assertThat(of(4).statistics().acquired()).isZero();
        gate.cancel();
    }

    private static boolean isByTime(Limit limit) {
        return limit instanceof SlidingWindowLog || limit instanceof AllOf;
    }

    private ElementGate<Integer> started(Limit limit, boolean foreign, WhenFull whenFull) {
        return started(limit, foreign, whenFull, Long.MAX_VALUE);
    }

    /** Starts with a room that is full of one element of a key without permits; there is another such key. */
    private ElementGate<Integer> started(Limit limit, boolean foreign, WhenFull whenFull, long demand) {
        Function<Integer, RateLimiter> limiterOf = key -> of(key, limit, foreign);
        for (int key = 1; key <= 2; key++) {
            limiterOf.apply(key).tryAcquire(1);
            limiterOf.apply(key).tryAcquire(1);
        }
        StreamOptions options = StreamOptions.defaults().buffer(1).whenFull(whenFull);
        ElementGate<Integer> gate = new ElementGate<>(
                GatePlan.<Integer, Integer>perKey(limiterOf, element -> element % 10, options), downstream, null);
        gate.start();
        gate.request(demand);
        gate.offer(EXHAUSTED);
        return gate;
    }

    private RateLimiter of(int key, Limit limit, boolean foreign) {
        return limiters.computeIfAbsent(key, unused -> {
            RateLimiter limiter = RateLimiter.builder(limit).timeSource(time).build();
            return foreign ? new ForeignLimiter(limiter) : limiter;
        });
    }

    private RateLimiter of(int key) {
        return Objects.requireNonNull(limiters.get(key));
    }

    private static final class Downstream extends TestStream {

        private final List<Integer> received = new ArrayList<>();
        private final List<Integer> lost = new ArrayList<>();

        @Override
        public boolean next(Integer element) {
            received.add(element);
            return true;
        }

        @Override
        public void requestFromSource(long elements) {}

        @Override
        public void discard(Integer element) {
            lost.add(element);
        }
    }
}
