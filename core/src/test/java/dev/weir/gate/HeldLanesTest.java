package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
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
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What arrives while others are held: it overtakes none of its key, and what is evicted leaves nothing behind. */
class HeldLanesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int KEYS = 40; // more than are tried again at once

    private final PassingTime time = new PassingTime(() -> 0);
    private final Queue<Runnable> line = new ArrayDeque<>();
    private final Map<Integer, RateLimiter> limiters = new HashMap<>();
    private final List<Object> dropped = new ArrayList<>();
    private final Received received = new Received();

    private RateLimiter limiter(int key) {
        return limiters.computeIfAbsent(
                key,
                any -> RateLimiter.builder(Limit.of(2, SECOND)).timeSource(time).build());
    }

    private ElementGate<Integer> started(LimiterPlan<Integer> plan) {
        ElementGate<Integer> gate = new ElementGate<>(plan, received, line::add);
        gate.start();
        gate.request(Long.MAX_VALUE);
        return gate;
    }

    private LimiterPlan<Integer> perKey(StreamOptions options) {
        return GatePlan.<Integer, Integer>perKey(this::limiter, element -> element / 10, options);
    }

    private StreamOptions evicting(int room) {
        return StreamOptions.defaults()
                .buffer(room)
                .whenFull(WhenFull.EVICT_OLDEST)
                .onDropped(dropped::add);
    }

    private void runAll() {
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
    }

    @Test
    @DisplayName(
            "an element whose key has one that is still to go, with its permit, waits behind it; one of another key goes")
    void overtakesNoneOfItsKey() {
        ElementGate<Integer> gate = started(perKey(StreamOptions.defaults()));
        List.of(10, 11, 12).forEach(gate::offer);
        assertThat(received.elements).containsExactly(10, 11);
        time.runNext();
        assertThat(line).as("the permit of 12 is there, and a second one").hasSize(1);
        List.of(13, 20).forEach(gate::offer);
        assertThat(received.elements).containsExactly(10, 11, 12, 20);
        runAll();
        assertThat(received.elements).containsExactly(10, 11, 12, 20, 13);
    }

    @Test
    @DisplayName("a stream without keys waits behind all its held elements")
    void overtakesNone() {
        ElementGate<Integer> gate = started(GatePlan.of(limiter(1), evicting(8)));
        List.of(10, 11, 12).forEach(gate::offer);
        time.runNext();
        gate.offer(20);
        assertThat(received.elements).containsExactly(10, 11, 12);
        runAll();
        assertThat(received.elements).containsExactly(10, 11, 12, 20);
    }

    @Test
    @DisplayName(
            "the last element of a key that is evicted takes its lane along: the end finds only those that are held")
    void evictedWithItsLane() {
        ElementGate<Integer> gate = started(perKey(evicting(1)));
        List.of(10, 11, 12, 20, 21, 22).forEach(gate::offer);
        assertThat(received.elements).containsExactly(10, 11, 20, 21);
        assertThat(dropped).containsExactly(12);
        assertThat(limiter(1).statistics().queuedPermits()).isZero();
        gate.cancel();
        assertThat(dropped).containsExactly(12, 22);
        assertThat(gate.held()).isZero();
    }

    @Test
    @DisplayName(
            "a key whose oldest element is evicted takes the place of its next one, behind older ones of other keys")
    void evictedFromTheHeadOfItsLane() {
        ElementGate<Integer> gate = new ElementGate<>(perKey(evicting(3)), received, line::add);
        gate.start();
        List.of(10, 20, 11, 21).forEach(gate::offer);
        assertThat(dropped).containsExactly(10);
        gate.request(1);
        assertThat(received.elements).containsExactly(20);
        gate.request(2);
        assertThat(received.elements).containsExactly(20, 11, 21);
    }

    @Test
    @DisplayName("newest first, the key of the newest element goes before the others")
    void newestKeyFirst() {
        StreamOptions options = StreamOptions.defaults().buffer(8).order(QueueOrder.NEWEST_FIRST);
        ElementGate<Integer> gate = new ElementGate<>(perKey(options), received, line::add);
        gate.start();
        List.of(10, 20, 11, 30).forEach(gate::offer);
        gate.request(2);
        assertThat(received.elements).containsExactly(30, 11);
        gate.offer(21);
        gate.request(3);
        assertThat(received.elements).containsExactly(30, 11, 21, 20, 10);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    @DisplayName(
            "what is held at the end is dropped in the order in which it came: nobody searches among the keys for it")
    void droppedInOrder(long demand) {
        List.of(1, 2, 3).forEach(key -> assertThat(limiter(key).tryConsume(2)).isTrue());
        StreamOptions options = StreamOptions.defaults().buffer(8).onDropped(dropped::add);
        ElementGate<Integer> gate = new ElementGate<>(perKey(options), received, line::add);
        gate.start();
        if (demand > 0) {
            gate.request(demand);
        }
        List.of(30, 20, 31, 10, 21).forEach(gate::offer);
        gate.cancel();
        assertThat(dropped).containsExactly(30, 20, 31, 10, 21);
    }

    static IntStream seeds() {
        return IntStream.range(0, 200);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("whatever a stream has been through when it ends, each element has gone or was dropped, once")
    void goneOrDroppedOnce(int seed) {
        Random random = new Random(seed);
        StreamOptions options = evicting(1 + random.nextInt(80))
                .whenFull(random.nextBoolean() ? WhenFull.EVICT_OLDEST : WhenFull.REJECT_NEW)
                .order(random.nextBoolean() ? QueueOrder.NEWEST_FIRST : QueueOrder.OLDEST_FIRST);
        LimiterPlan<Integer> plan =
                GatePlan.<Integer, Integer>perKey(this::limiter, element -> element % KEYS, options);
        ElementGate<Integer> gate = new ElementGate<>(plan, received, line::add);
        gate.start();
        IntStream.range(0, random.nextInt(KEYS))
                .forEach(key -> assertThat(limiter(key).tryConsume(2)).isTrue());
        int offered = 0;
        for (int step = random.nextInt(400); step >= 0; step--) {
            switch (random.nextInt(10)) {
                case 0 -> gate.request(1 + random.nextInt(2));
                case 1 -> time.runNext();
                case 2 -> runAll();
                default -> gate.offer(KEYS * offered++ + random.nextInt(KEYS));
            }
        }
        received.throwsFrom = random.nextBoolean() ? received.elements.size() + random.nextInt(2) : Integer.MAX_VALUE;
        try {
            gate.request(1);
        } catch (IllegalStateException thrown) {
            assertThat(thrown).as("seed %d", seed).hasMessage("on purpose");
        }
        gate.cancel();
        runAll();
        List<Object> accountedFor = new ArrayList<>(received.elements);
        accountedFor.addAll(dropped);
        assertThat(accountedFor).as("seed %d", seed).hasSize(offered).doesNotHaveDuplicates();
        assertThat(gate.held()).isZero();
        assertThat(limiters.values()).allMatch(limiter -> limiter.statistics().queuedPermits() == 0);
    }

    private static final class Received extends TestStream {

        private final List<Integer> elements = new ArrayList<>();
        private int throwsFrom = Integer.MAX_VALUE;

        @Override
        public boolean next(Integer element) {
            elements.add(element);
            if (elements.size() > throwsFrom) {
                throw new IllegalStateException("on purpose");
            }
            return true;
        }

        @Override
        public void requestFromSource(long elements) {}

        @Override
        public void discard(Integer element) {}
    }
}
