package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** After a wait a stream goes by turns, until it has nothing to go on with. How streams share a limiter is tested with them. */
class TurnsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final PassingTime time = new PassingTime(new Random(1), 0);
    private final RateLimiter limiter =
            RateLimiter.builder(Limit.of(3, SECOND)).timeSource(time).build();
    private final Queue<Runnable> line = new ArrayDeque<>();
    private final List<Integer> received = new ArrayList<>();
    private final ElementGate<Integer> gate =
            new ElementGate<>(GatePlan.of(limiter, StreamOptions.defaults().prefetch(256)), new Receiving(), line::add);

    @BeforeEach
    void waitsForTheFirst() {
        limiter.tryConsume(3);
        gate.start();
        for (int element = 1; element <= 6; element++) {
            gate.offer(element);
        }
        gate.request(1);
        time.runNext();
        line.remove().run();
        assertThat(received).containsExactly(1);
    }

    @Test
    @DisplayName("an element requested later goes at once while there are permits, on the requesting thread")
    void askedForLater() {
        time.pass(SECOND.toNanos());
        for (int element = 2; element <= 4; element++) {
            gate.request(1);
            assertThat(received).hasSize(element);
        }
        assertThat(line).isEmpty();
        gate.request(1);
        assertThat(received).hasSize(4);
        time.runNext();
        line.remove().run();
        assertThat(received).hasSize(5);
        assertThat(line).isEmpty();
    }

    @Test
    @DisplayName("an element requested before goes by turns")
    void askedForBefore() {
        gate.request(2);
        assertThat(received)
                .as("on the thread that asks, while it is nobody's turn")
                .hasSize(3);
        gate.request(3);
        time.runNext();
        for (int turns = 1; turns <= 3; turns++) {
            line.remove().run();
            assertThat(received).hasSize(3 + turns);
        }
        assertThat(line).isEmpty();
    }

    @Test
    @DisplayName("a stream that stands in line stays there, whatever arrives")
    void inLine() {
        gate.request(2);
        gate.request(2);
        time.runNext();
        line.remove().run();
        assertThat(received).as("the next is in line").hasSize(4);
        gate.request(1);
        gate.offer(7);
        assertThat(received).hasSize(4);
        assertThat(line).hasSize(1);
        line.remove().run();
        assertThat(received).hasSize(5);
    }

    @Test
    @DisplayName("turns get twice as long after every sixteen, so that many permits do not take as many tasks")
    void longerAndLonger() {
        limiter.reconfigure(Limit.of(200, SECOND));
        for (int element = 7; element <= 200; element++) {
            gate.offer(element);
        }
        time.pass(SECOND.toNanos());
        limiter.tryConsume(200);
        gate.request(199);
        time.runNext();
        line.remove().run();
        List<Integer> turns = new ArrayList<>();
        for (int before = received.size(); !line.isEmpty(); before = received.size()) {
            line.remove().run();
            turns.add(received.size() - before);
        }
        assertThat(turns.subList(0, 16)).containsOnly(1);
        assertThat(turns.subList(16, 32)).containsOnly(2);
        assertThat(turns.subList(32, 48)).containsOnly(4);
        assertThat(turns.subList(48, turns.size() - 1)).isNotEmpty().containsOnly(8);
    }

    @Test
    @DisplayName(
            "elements that are refused after a wait take no turns: all that cannot have a permit in time go at once")
    void refusedAfterAWait() {
        RateLimiter oneASecond =
                RateLimiter.builder(Limit.of(1, SECOND)).timeSource(time).build();
        StreamOptions options = StreamOptions.defaults()
                .buffer(4)
                .maxWait(Duration.ofMillis(500))
                .onRefused(OnRefused.DROP);
        List<Integer> dropped = new ArrayList<>();
        TestStream stream = new Receiving() {
            @Override
            public void discard(Integer element) {
                dropped.add(element);
            }
        };
        ElementGate<Integer> bounded = new ElementGate<>(GatePlan.of(oneASecond, options), stream, line::add);
        bounded.start();
        bounded.request(Long.MAX_VALUE);
        oneASecond.tryConsume(1);
        time.pass(Duration.ofMillis(600).toNanos());
        List.of(11, 12, 13, 14).forEach(bounded::offer);
        time.runNext();
        line.remove().run();
        assertThat(received).containsExactly(1, 11);
        assertThat(dropped).containsExactly(12, 13, 14);
        assertThat(line).isEmpty();
    }

    private class Receiving extends TestStream {

        @Override
        public boolean next(Integer element) {
            return received.add(element);
        }

        @Override
        public void requestFromSource(long elements) {}
    }
}
