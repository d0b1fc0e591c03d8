package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A stream with keys whose downstream requests little at a time, while elements of many exhausted keys are held. */
class ExhaustedKeysTest {

    private static final int KEYS = 100;
    private static final int FREE = KEYS;
    private static final Duration HOUR = Duration.ofHours(1);

    private final PassingTime time = new PassingTime(() -> 0);
    private final Map<Integer, RateLimiter> limiters = new HashMap<>();
    private final Received received = new Received();
    private int asked;

    private final RateLimiterObserver countingRequests = new RateLimiterObserver() {
        @Override
        public void onQueued(int permits) {
            asked++;
        }
    };

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit)
                .timeSource(time)
                .observer(countingRequests)
                .build();
    }

    private RateLimiter spent(Limit limit) {
        RateLimiter limiter = limiter(limit);
        limiter.acquire(limit.capacity(), Duration.ZERO, lease -> {});
        return limiter;
    }

    private ElementGate<Integer> gate(StreamOptions options) {
        Function<Integer, RateLimiter> limiterOf =
                key -> limiters.computeIfAbsent(key, any -> spent(Limit.of(1, HOUR)));
        ElementGate<Integer> gate = new ElementGate<>(
                GatePlan.<Integer, Integer>perKey(limiterOf, element -> element % 1_000, options), received, null);
        gate.start();
        return gate;
    }

    private static StreamOptions room() {
        return StreamOptions.defaults().buffer(10_000);
    }

    /** Offers one element of each key that is exhausted, and as many of the key that is not. */
    private void fill(ElementGate<Integer> gate, int free) {
        limiters.put(FREE, limiter(Limit.unlimited()));
        IntStream.range(0, KEYS).forEach(gate::offer);
        IntStream.range(0, free).forEach(i -> gate.offer(i * 1_000 + FREE));
    }

    private static List<Integer> free(int count) {
        return IntStream.range(0, count).mapToObj(i -> i * 1_000 + FREE).toList();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "with demand one by one no request is made at exhausted keys, and what an element costs does not grow with them")
    void oneByOne(QueueOrder order) {
        ElementGate<Integer> gate = gate(room().order(order));
        fill(gate, 201);
        gate.request(1);
        int before = time.readings();
        for (int element = 0; element < 200; element++) {
            for (int more = 0; more < 8; more++) {
                gate.offer(FREE);
            }
            gate.request(1);
        }
        assertThat(received.elements).hasSize(201).allMatch(element -> element % 1_000 == FREE);
        assertThat(asked).isZero();
        assertThat((time.readings() - before) / 200).isLessThanOrEqualTo(40);
    }

    @Test
    @DisplayName("when nothing is to be had at once, all keys are asked, and the first permit is used")
    void nothingAtOnce() {
        ElementGate<Integer> gate = gate(room());
        limiters.put(70, spent(Limit.of(1, Duration.ofMinutes(1))));
        fill(gate, 1);
        gate.request(2);
        assertThat(asked).isEqualTo(KEYS);
        time.runNext();
        assertThat(received.elements).containsExactly(FREE, 70);
        assertThat(queued()).isZero();
    }

    @Test
    @DisplayName("a permit that has come back is found while others go, before as many have gone as there are keys")
    void comesBack() {
        ElementGate<Integer> gate = gate(room());
        limiters.put(70, spent(Limit.of(1, Duration.ofMinutes(1))));
        fill(gate, 200);
        for (int element = 0; element < 50; element++) {
            gate.request(1);
        }
        assertThat(received.elements).isEqualTo(free(50));
        time.pass(Duration.ofMinutes(1).toNanos());
        for (int element = 0; element < 10; element++) {
            gate.request(1);
        }
        assertThat(received.elements).hasSize(60).contains(70);
    }

    @Test
    @DisplayName("while downstream requests another with each element, exhausted keys are asked all the same")
    void demandNeverEnds() {
        ElementGate<Integer> gate = gate(room());
        received.onNext = () -> gate.request(1);
        fill(gate, 2 * KEYS);
        gate.request(1);
        assertThat(asked).isEqualTo(KEYS);
        assertThat(received.askedAfter).isLessThanOrEqualTo(KEYS + 1);
        assertThat(received.elements).isEqualTo(free(2 * KEYS));
    }

    @Test
    @DisplayName("with demand for all of them, keys are asked in their turn, before younger elements go")
    void muchDemand() {
        ElementGate<Integer> gate = gate(room());
        fill(gate, 200);
        gate.request(Long.MAX_VALUE);
        assertThat(received.askedAfter).isZero();
        assertThat(asked).isEqualTo(KEYS);
    }

    @Test
    @DisplayName("permits that only a request can have are requested in their turn")
    void onlyByRequest() {
        ElementGate<Integer> gate = gate(room());
        IntStream.range(0, KEYS).forEach(key -> limiters.put(key, spent(Limit.concurrency(1))));
        fill(gate, 0);
        limiters.put(FREE, limiter(Limit.concurrency(1)));
        gate.offer(FREE);
        gate.request(1);
        assertThat(received.elements).containsExactly(FREE);
        assertThat(asked).isZero();
    }

    @Test
    @DisplayName("with a maximum wait nothing is put off: what is refused is refused at once")
    void refusedAtOnce() {
        List<Object> dropped = new ArrayList<>();
        ElementGate<Integer> gate = gate(
                room().maxWait(Duration.ofSeconds(1)).onRefused(OnRefused.DROP).onDropped(dropped::add));
        fill(gate, 1);
        gate.request(1);
        assertThat(received.elements).containsExactly(FREE);
        assertThat(dropped).hasSize(KEYS);
    }

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 100);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("an element with a key goes once and in order, whatever the demand, and no request is left")
    void everyElementOnce(int seed) {
        Random random = new Random(seed);
        ElementGate<Integer> gate = gate(room());
        int keys = 1 + random.nextInt(80);
        for (int key = 0; key < keys; key++) {
            Limit limit = random.nextInt(5) == 0
                    ? Limit.concurrency(1)
                    : Limit.of(1 + random.nextInt(3), Duration.ofNanos(1 + random.nextInt(1_000)));
            limiters.put(key, limiter(limit));
        }
        List<Integer> offered = new ArrayList<>();
        for (int step = 0; step < 600; step++) {
            switch (random.nextInt(4)) {
                case 0 -> {
                    offered.add(step * 1_000 + random.nextInt(keys));
                    gate.offer(offered.get(offered.size() - 1));
                }
                case 1 -> gate.request(1 + random.nextInt(3));
                case 2 -> time.pass(random.nextInt(100));
                default -> time.runNext();
            }
        }
        gate.complete();
        gate.request(Long.MAX_VALUE);
        while (time.runNext()) {}
        assertThat(byKey(received.elements)).isEqualTo(byKey(offered));
        assertThat(received.completed).isTrue();
        assertThat(queued()).isZero();
    }

    private static Map<Integer, List<Integer>> byKey(List<Integer> elements) {
        Map<Integer, List<Integer>> byKey = new HashMap<>();
        elements.forEach(element ->
                byKey.computeIfAbsent(element % 1_000, key -> new ArrayList<>()).add(element));
        return byKey;
    }

    private long queued() {
        return limiters.values().stream()
                .mapToLong(limiter -> limiter.statistics().queuedPermits())
                .sum();
    }

    /** Downstream, and how many elements it had when the first request was made. */
    private final class Received extends TestStream {

        private final List<Integer> elements = new ArrayList<>();
        private int askedAfter;
        private @Nullable Runnable onNext;
        private boolean completed;

        @Override
        public boolean next(Integer element) {
            elements.add(element);
            if (asked == 0) {
                askedAfter++;
            }
            if (onNext != null) {
                onNext.run();
            }
            return true;
        }

        @Override
        public void requestFromSource(long count) {
            assertThat(count).isEqualTo(Long.MAX_VALUE);
        }

        @Override
        public void discard(Integer element) {}

        @Override
        public void complete() {
            completed = true;
        }
    }
}
