package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream whose elements the gate takes from a queue of the source. */
class PulledGateTest {

    private final Queued stream = new Queued();

    private ElementGate<Integer> pulling() {
        return pulling(Limit.concurrency(1));
    }

    private ElementGate<Integer> pulling(Limit limit) {
        return pulling(limiter(limit));
    }

    private static RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(new PassingTime(() -> 0)).build();
    }

    private ElementGate<Integer> pulling(RateLimiter limiter) {
        ElementGate<Integer> gate =
                new ElementGate<>(GatePlan.of(limiter, StreamOptions.defaults()), stream, stream.worker);
        gate.startPulling(stream);
        gate.start();
        return gate;
    }

    @Test
    @DisplayName("an empty one completes without having been asked for anything")
    void empty() {
        pulling();
        assertThat(stream.heard).containsExactly("complete", "ended");
    }

    @Test
    @DisplayName("no more is taken than is asked for, and it completes as the last element has gone")
    void asAskedFor() {
        stream.queue.addAll(List.of(1, 2));
        ElementGate<Integer> gate = pulling();
        assertThat(stream.heard).isEmpty();
        gate.request(1);
        assertThat(stream.heard).containsExactly("1");
        assertThat(stream.queue).containsExactly(2);
        assertThat(gate.held()).isZero();
        gate.request(1);
        assertThat(stream.heard).containsExactly("1", "2", "complete", "ended");
    }

    @Test
    @DisplayName(
            "a queue that fails as it lets go of the rest: the hook for errors hears of it, and the stream is over")
    void clearFails() {
        stream.queue.add(1);
        ElementGate<Integer> gate = pulling();
        gate.cancel();
        assertThat(stream.heard).containsExactly("cancelled", "dropped clear", "ended");
        assertThat(gate.isEnded()).isTrue();
    }

    @Test
    @DisplayName("a cancelled stream drops the element that waits, and the queue releases the rest")
    void cancelledAsOneWaits() {
        stream.queue.addAll(List.of(1, 2, 3));
        stream.clears = true;
        ElementGate<Integer> gate = pulling(Limit.of(1, Duration.ofHours(1)));
        gate.request(2);
        assertThat(stream.heard).containsExactly("1");
        gate.cancel();
        assertThat(stream.heard).containsExactly("1", "cancelled", "discarded 2", "ended");
        assertThat(stream.queue).isEmpty();
    }

    @ParameterizedTest(name = "element {0}")
    @ValueSource(ints = {1, 2})
    @DisplayName("a stream cancelled as an element is taken drops it, and takes no permit")
    void cancelledAsOneIsTaken(int element) {
        stream.queue.addAll(List.of(1, 2, 3));
        stream.clears = true;
        RateLimiter limiter = limiter(Limit.of(5, Duration.ofHours(1)));
        ElementGate<Integer> gate = pulling(limiter);
        stream.onPoll = taken -> {
            if (taken == element) {
                gate.cancel();
            }
        };
        gate.request(3);
        assertThat(stream.heard)
                .doesNotContain(String.valueOf(element))
                .endsWith("cancelled", "discarded " + element, "ended");
        assertThat(limiter.availablePermits()).isEqualTo(5 - (element - 1));
    }

    private static final class Queued extends RecordingStream {

        private final Queue<Integer> queue = new ArrayDeque<>();
        private IntConsumer onPoll = taken -> {};
        private boolean clears;

        @Override
        public @Nullable Integer poll() {
            Integer element = queue.poll();
            if (element != null) {
                onPoll.accept(element);
            }
            return element;
        }

        @Override
        public boolean isEmpty() {
            return queue.isEmpty();
        }

        @Override
        public void discard(Integer element) {
            heard.add("discarded " + element);
        }

        @Override
        public void clear() {
            if (clears) {
                queue.clear();
            } else if (!queue.isEmpty()) {
                throw new IllegalStateException("clear");
            }
        }

        @Override
        public void errorDropped(Throwable error) {
            heard.add("dropped " + error.getMessage());
        }
    }
}
