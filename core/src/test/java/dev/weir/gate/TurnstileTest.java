package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A stream on a limiter that others may ask as well, by a clock that goes on at every reading: permits come back while the stream
 * is at work, also right after it was told to wait.
 */
class TurnstileTest {

    private static final int ELEMENTS = 500;
    private static final int PERMITS = 5;
    private static final Duration PERIOD = Duration.ofNanos(200);
    private static final int MOST_PER_READING = 10;

    /** How much later than its permit an element may go: the clock is read for the grant, and for another on the way. */
    private static final int LATE = 2 * MOST_PER_READING;

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 100);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("elements that are pulled go once each, in order, no more than the limit allows, and to the last")
    void pulled(int seed) {
        Script script = new Script(seed);
        script.gate.startPulling(script);
        script.gate.request(1);
        script.runToTheEnd();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("elements that are offered do the same")
    void offered(int seed) {
        Script script = new Script(seed);
        script.gate.start();
        script.gate.request(1);
        int offered = 0;
        for (int round = 0; offered < ELEMENTS; round++) {
            assertThat(round).as("rounds without an end").isLessThan(10 * ELEMENTS);
            while (script.toOffer > 0 && offered < ELEMENTS) {
                script.toOffer--;
                script.gate.offer(offered++);
            }
            script.gate.request(1);
            script.time.runNext();
        }
        script.gate.complete();
        script.runToTheEnd();
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 64, 256})
    @DisplayName("the source is asked for more when three quarters of what was read ahead have left, not when all has")
    void askedInTime(int ahead) {
        RateLimiter limiter = RateLimiter.of(Limit.of(1_000_000, Duration.ofSeconds(1)));
        List<Integer> whenAsked = new ArrayList<>();
        TestStream stream = new TestStream() {
            private int count;

            @Override
            public boolean next(Integer element) {
                count++;
                return true;
            }

            @Override
            public void requestFromSource(long elements) {
                whenAsked.add(count);
            }
        };
        ElementGate<Integer> gate =
                new ElementGate<>(GatePlan.of(limiter, StreamOptions.defaults().prefetch(ahead)), stream, null);
        gate.start();
        for (int i = 0; i < ahead; i++) {
            gate.offer(i);
        }
        gate.request(Long.MAX_VALUE);
        assertThat(whenAsked).containsExactly(0, ahead * 3 / 4);
    }

    /** A stream that asks for more as it goes, and what it must not see. */
    private static final class Script extends TestStream {

        private final Random random;
        private final PassingTime time;
        private final long[] seen = new long[ELEMENTS];
        private final ElementGate<Integer> gate;
        private int toOffer;
        private int polled;
        private int count;
        private boolean completed;

        Script(int seed) {
            random = new Random(seed);
            time = new PassingTime(random, MOST_PER_READING);
            RateLimiter limiter = RateLimiter.builder(Limit.of(PERMITS, PERIOD))
                    .timeSource(time)
                    .build();
            gate = new ElementGate<>(
                    GatePlan.of(limiter, StreamOptions.defaults().prefetch(1 + random.nextInt(4))), this, null);
        }

        void runToTheEnd() {
            gate.request(ELEMENTS);
            while (!completed) {
                assertThat(time.runNext())
                        .as("somebody is waiting for something")
                        .isTrue();
            }
            assertThat(count).isEqualTo(ELEMENTS);
        }

        @Override
        public boolean next(Integer element) {
            assertThat(element).isEqualTo(count);
            seen[count] = time.now();
            if (count >= PERMITS) {
                assertThat(seen[count] - seen[count - PERMITS]).isGreaterThanOrEqualTo(PERIOD.toNanos() - LATE);
            }
            count++;
            if (random.nextInt(4) == 0) {
                gate.request(random.nextInt(1, 5));
            }
            return true;
        }

        @Override
        public void requestFromSource(long elements) {
            toOffer += (int) elements;
        }

        @Override
        public void complete() {
            completed = true;
        }

        @Override
        public @Nullable Integer poll() {
            return polled == ELEMENTS ? null : polled++;
        }

        @Override
        public boolean isEmpty() {
            return polled == ELEMENTS;
        }
    }
}
