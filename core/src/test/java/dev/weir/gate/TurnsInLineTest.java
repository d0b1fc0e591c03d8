package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams that wait for one limiter on one executor stand in its line once each; a stream that shares with nobody, not at all. */
class TurnsInLineTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long MILLISECOND = 1_000_000;
    private static final int ELEMENTS = 400;

    private final PassingTime time = new PassingTime(new Random(1), 0);
    private final Queue<Runnable> line = new ArrayDeque<>();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @DisplayName("a stream that a signal reaches between its grant and its task gets no second place in the line")
    void signalBeforeTheTask(int signals) {
        RateLimiter limiter = limiter(20);
        limiter.tryConsume(20);
        Stream one = new Stream(GatePlan.of(limiter, StreamOptions.defaults().prefetch(ELEMENTS)), 30);
        Stream other = new Stream(GatePlan.of(limiter, StreamOptions.defaults().prefetch(ELEMENTS)), 30);
        time.runNext();
        assertThat(line).as("both are granted a permit").hasSize(2);
        for (int signal = 0; signal < signals; signal++) {
            one.gate.request(1);
        }
        runAll();
        assertThat(one.received.size() + other.received.size()).isEqualTo(20);
        assertThat(one.received.size()).isCloseTo(other.received.size(), within(1));
    }

    @Test
    @DisplayName("after a wait, a limiter of the stream's own lets all that it has go in one task")
    void nobodyElse() {
        RateLimiter own = limiter(200);
        Stream alone = new Stream(
                OneLimiterPlan.own(own, time, StreamOptions.defaults().prefetch(ELEMENTS)), ELEMENTS);
        assertThat(alone.received).hasSize(200);
        time.runNext();
        line.remove().run();
        assertThat(alone.received).hasSize(ELEMENTS);
        assertThat(line).isEmpty();
    }

    @Test
    @DisplayName(
            "a turn that a key stands in line for is still its own when others of the stream are granted meanwhile")
    void grantedMeanwhile() {
        Map<Integer, RateLimiter> limiters = new HashMap<>();
        for (int key = 0; key <= 5; key++) {
            RateLimiter limiter = limiter(key == 0 ? 3 : 1);
            limiter.tryConsume(limiter.limit().capacity());
            limiters.put(key, limiter);
            time.pass(MILLISECOND);
        }
        Stream stream = new Stream(
                GatePlan.perKey(limiters::get, element -> Math.max(0, element), StreamOptions.defaults()),
                IntStream.rangeClosed(-3, 5).filter(element -> element != 0),
                Long.MAX_VALUE);
        time.runNext();
        line.remove().run();
        assertThat(stream.received).containsExactly(-3);
        assertThat(line).as("the next of the same key").hasSize(1);
        time.runNext();
        line.remove().run();
        assertThat(stream.received).contains(-2);
    }

    private RateLimiter limiter(int permits) {
        return RateLimiter.builder(Limit.of(permits, SECOND)).timeSource(time).build();
    }

    private void runAll() {
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
    }

    /** A stream that holds its elements, and continues in the line after a wait. */
    private final class Stream extends TestStream {

        private final List<Integer> received = new ArrayList<>();
        private final ElementGate<Integer> gate;

        Stream(LimiterPlan<Integer> plan, int demand) {
            this(plan, IntStream.range(0, ELEMENTS), demand);
        }

        Stream(LimiterPlan<Integer> plan, IntStream elements, long demand) {
            this.gate = new ElementGate<>(plan, this, line::add);
            gate.start();
            elements.forEach(gate::offer);
            gate.request(demand);
        }

        @Override
        public boolean next(Integer element) {
            return received.add(element);
        }

        @Override
        public void requestFromSource(long elements) {}
    }
}
