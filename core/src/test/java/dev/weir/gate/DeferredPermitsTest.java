package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A stream with a limiter of its own, whose elements go by the handful: what downstream sees, by a clock that goes on at every
 * reading and while downstream is busy.
 */
class DeferredPermitsTest {

    private static final int PERMITS = 1_000;
    private static final Duration PERIOD = Duration.ofNanos(100_000);
    private static final int ELEMENTS = 8 * PERMITS;

    /** A limit, and how many elements it may ever let pass in an interval. */
    private record Bounded(Limit limit, int most, long nanos) {}

    private static Stream<Bounded> limits() {
        long period = PERIOD.toNanos();
        return Stream.of(
                new Bounded(Limit.of(PERMITS, PERIOD), PERMITS, period),
                new Bounded(Limit.of(100, PERIOD.dividedBy(10)), 100, period / 10),
                new Bounded(Limit.of(4 * PERMITS, PERIOD.multipliedBy(4)), 4 * PERMITS, 4 * period),
                new Bounded(Limit.slidingWindow(PERMITS, PERIOD, 10), PERMITS, period),
                new Bounded(Limit.slidingWindowCounter(PERMITS, PERIOD), 2 * PERMITS, period),
                new Bounded(Limit.fixedWindow(PERMITS, PERIOD), 2 * PERMITS, period),
                new Bounded(Limit.tokenBucket(PERMITS, PERMITS, PERIOD), 2 * PERMITS, period),
                new Bounded(
                        Limit.tokenBucket(PERMITS, 1, PERIOD.dividedBy(PERMITS)), PERMITS + PERMITS / 10, period / 10),
                new Bounded(
                        Limit.allOf(Limit.of(PERMITS, PERIOD), Limit.tokenBucket(PERMITS, PERMITS, PERIOD)),
                        PERMITS,
                        period),
                new Bounded(
                        Limit.allOf(
                                Limit.unlimited(), Limit.of(PERMITS / 2, PERIOD).countingCalls()),
                        PERMITS / 2,
                        period));
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("no interval sees more than the limit allows, whatever time downstream and the clock itself take")
    void exact(Bounded bounded) {
        for (long seed = 1; seed <= 40; seed++) {
            Random random = new Random(seed);
            long mostPerReading = random.nextBoolean() ? 0 : random.nextInt(40);
            long mostPerElement = random.nextBoolean() ? random.nextInt(3) : random.nextInt(300);
            PassingTime time = new PassingTime(random, mostPerReading);
            long[] seen = run(bounded.limit(), time, () -> random.nextLong(mostPerElement + 1), random);
            assertBound(seen, bounded, mostPerReading, seed); // those that are paid first go after it
        }
    }

    private static void assertBound(long[] seen, Bounded bounded, long closer, long seed) {
        for (int i = bounded.most(); i < ELEMENTS; i++) {
            assertThat(seen[i] - seen[i - bounded.most()])
                    .as("seed %d: from element %d to element %d", seed, i - bounded.most(), i)
                    .isGreaterThanOrEqualTo(bounded.nanos() - closer);
        }
    }

    private static Stream<Bounded> limitsOfFewToo() {
        long period = PERIOD.toNanos();
        return Stream.concat(
                Stream.of(1, 5, 31, 100, PERMITS)
                        .map(permits -> new Bounded(Limit.of(permits, PERIOD), permits, period)),
                Stream.of(
                        new Bounded(Limit.leakyBucket(5, PERIOD), 1, period / 5),
                        new Bounded(Limit.leakyBucket(5, PERIOD).withSlack(3), 4, period / 5),
                        new Bounded(Limit.of(5, PERIOD).countingCalls(), 5, period),
                        new Bounded(Limit.allOf(Limit.of(5, PERIOD), Limit.leakyBucket(10, PERIOD)), 5, period)));
    }

    @ParameterizedTest
    @MethodSource("limitsOfFewToo")
    @DisplayName("a fast downstream never sees one element too many, however long the thread is held up")
    void heldUp(Bounded bounded) {
        for (long seed = 1; seed <= 40; seed++) {
            Random random = new Random(seed);
            HoldUps anywhere = new HoldUps(random);
            PassingTime time = new PassingTime(anywhere);
            long[] seen = run(bounded.limit(), time, anywhere::ofElement, random);
            assertBound(seen, bounded, 0, seed);
        }
    }

    /** Hardly any time passes but now and then, not for two elements in a row, when up to two periods do. */
    private static final class HoldUps implements LongSupplier {

        private static final int APART = 3;

        private final Random random;
        private int untilNext;
        private int elements = APART;

        HoldUps(Random random) {
            this.random = random;
        }

        @Override
        public long getAsLong() {
            if (untilNext-- > 0 || elements < APART) {
                return random.nextLong(3);
            }
            untilNext = random.nextInt(100);
            elements = 0;
            return random.nextLong(2 * PERIOD.toNanos());
        }

        long ofElement() {
            long nanos = getAsLong();
            elements++;
            return nanos;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 50, 90, 99, 100})
    @DisplayName(
            "as fast as the limit allows, less one hand and one part in 128 where passing an element takes nearly as long")
    void fast(int nanosPerElement) {
        PassingTime time = new PassingTime(new Random(1), 0);
        long[] seen = run(Limit.of(PERMITS, PERIOD), time, () -> nanosPerElement, null);
        long legal = (ELEMENTS / PERMITS - 1) * PERIOD.toNanos();
        long busy = (long) ELEMENTS * nanosPerElement;
        long hand = 64L * nanosPerElement;
        assertThat(seen[ELEMENTS - 1] - seen[0])
                .isLessThanOrEqualTo(
                        Math.max(legal + PERIOD.toNanos() * nanosPerElement / 100, busy) * 129 / 128 + hand);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 31, 100})
    @DisplayName("few permits are late by one part in 128, or by what one hand takes, and not again and again")
    void fewPermits(int permits) {
        long most = PERIOD.toNanos() / permits;
        for (long nanosPerElement :
                new long[] {0, 7, most / 200, most / 100, most / 10, most / 2, most * 9 / 10, most * 99 / 100, most}) {
            long hand = Math.max(1, permits / 16);
            long seldom = 2 + 8 + ELEMENTS / 1024;
            long legal = (ELEMENTS / permits - 1) * PERIOD.toNanos() + (permits - 1) * nanosPerElement;
            long bound = legal * 129 / 128 + (hand + seldom) * nanosPerElement;
            assertThat(whole(Limit.of(permits, PERIOD), () -> 0, () -> nanosPerElement))
                    .as("downstream takes %d for an element", nanosPerElement)
                    .isLessThanOrEqualTo(bound);
            assertThat(whole(Limit.of(permits, PERIOD), () -> nanosPerElement, () -> 0))
                    .as("the source takes %d for an element", nanosPerElement)
                    .isLessThanOrEqualTo(bound + nanosPerElement);
        }
    }

    /** How long a stream takes, from its first element to its last. */
    private static long whole(Limit limit, LongSupplier source, LongSupplier downstream) {
        long[] seen = run(limit, new PassingTime(new Random(1), 0), source, downstream, null);
        return seen[ELEMENTS - 1] - seen[0];
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 31})
    @DisplayName("limits that are too small for a handful go one by one, each counted from when it has gone")
    void oneByOne(int permits) {
        PassingTime time = new PassingTime(new Random(1), 0);
        long[] seen = run(Limit.of(permits, PERIOD), time, () -> 7, null);
        for (int i = permits; i < ELEMENTS; i++) {
            assertThat(seen[i]).isEqualTo(Math.max(seen[i - 1], seen[i - permits] + PERIOD.toNanos()) + 7);
        }
    }

    @Test
    @DisplayName("a hand reads the clock twice for a sixteenth of the permits where these are plenty")
    void readingsOfPlenty() {
        PassingTime time = new PassingTime(new Random(1), 0);
        run(Limit.of(100, PERIOD), time, () -> 2 * PERIOD.toNanos() / 100, null); // half of them are always there
        assertThat(time.readings()).isLessThan(ELEMENTS * 2 / (50 / 16) + 100);
    }

    @Test
    @DisplayName("a hand reads the clock twice for 256 permits where these are very many")
    void readingsOfVeryMany() {
        PassingTime time = new PassingTime(new Random(1), 0);
        run(Limit.of(2 * ELEMENTS, PERIOD), time, () -> 1, null);
        assertThat(time.readings()).isLessThan(ELEMENTS * 2 / 256 + 30);
    }

    @Test
    @DisplayName("a hand hardly reads the clock more than once a permit where these are scarce")
    void readingsOfFew() {
        PassingTime time = new PassingTime(new Random(1), 0);
        run(Limit.of(100, PERIOD), time, () -> PERIOD.toNanos() / 98, null); // a few are always there
        assertThat(time.readings()).isLessThan(ELEMENTS * 18 / 16);
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 100, Long.MAX_VALUE})
    @DisplayName("a hand has taken the used permits when the drain is left, and no others")
    void takesWhatIsUsed(long asked) {
        PassingTime time = new PassingTime(new Random(1), 0);
        RateLimiter limiter =
                RateLimiter.builder(Limit.of(PERMITS, PERIOD)).timeSource(time).build();
        Stream100 stream = new Stream100();
        ElementGate<Integer> gate =
                new ElementGate<>(OneLimiterPlan.own(limiter, time, StreamOptions.defaults()), stream, null);
        gate.startPulling(stream);
        gate.request(asked);
        assertThat(limiter.availablePermits()).isEqualTo(PERMITS - Math.min(asked, 100));
        assertThat(limiter.statistics().acquired()).isPositive();
    }

    /** Runs a stream to its end and answers when each element was seen. */
    private static long[] run(Limit limit, PassingTime time, LongSupplier downstream, @Nullable Random requests) {
        return run(limit, time, () -> 0, downstream, requests);
    }

    private static long[] run(
            Limit limit, PassingTime time, LongSupplier source, LongSupplier downstream, @Nullable Random requests) {
        RateLimiter limiter = RateLimiter.builder(limit).timeSource(time).build();
        long[] seen = new long[ELEMENTS];
        Recorder recorder = new Recorder(seen, time, source, downstream, requests);
        ElementGate<Integer> gate =
                new ElementGate<>(OneLimiterPlan.own(limiter, time, StreamOptions.defaults()), recorder, null);
        recorder.gate = gate;
        gate.startPulling(recorder);
        gate.request(requests == null ? Long.MAX_VALUE : 1);
        while (!recorder.completed) {
            assertThat(time.runNext()).as("somebody is waiting for something").isTrue();
        }
        assertThat(recorder.count).isEqualTo(ELEMENTS);
        return seen;
    }

    /** A stream: notes when elements come, takes its time, and asks for more from within. */
    private static final class Recorder extends TestStream {

        private final long[] seen;
        private final PassingTime time;
        private final LongSupplier source;
        private final LongSupplier downstream;
        private final @Nullable Random requests;
        private int polled;
        private int count;
        private long asked = 1;
        private boolean completed;
        private @Nullable ElementGate<Integer> gate;

        Recorder(
                long[] seen,
                PassingTime time,
                LongSupplier source,
                LongSupplier downstream,
                @Nullable Random requests) {
            this.seen = seen;
            this.time = time;
            this.source = source;
            this.downstream = downstream;
            this.requests = requests;
        }

        @Override
        public boolean next(Integer element) {
            seen[count++] = time.now();
            time.pass(downstream.getAsLong());
            if (requests != null && gate != null && count == asked) {
                int more = 1 + requests.nextInt(300);
                asked += more;
                gate.request(more);
            }
            return true;
        }

        @Override
        public void complete() {
            completed = true;
        }

        @Override
        public @Nullable Integer poll() {
            time.pass(source.getAsLong());
            return polled == seen.length ? null : polled++;
        }

        @Override
        public boolean isEmpty() {
            return polled == seen.length;
        }
    }

    /** A hundred elements, and nobody who is interested. */
    private static final class Stream100 extends TestStream {

        private int polled;

        @Override
        public @Nullable Integer poll() {
            return polled == 100 ? null : polled++;
        }

        @Override
        public boolean isEmpty() {
            return polled == 100;
        }
    }
}
