package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.ForeignLimiter;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to a stream while its downstream is busy with an element, and before it goes on after a wait. */
class BusyDownstreamTest {

    private final PassingTime time = new PassingTime(new Random(1), 0);
    private final RateLimiter threeASecond = RateLimiter.builder(Limit.of(3, Duration.ofSeconds(1)))
            .timeSource(time)
            .build();
    private final Queue<Runnable> line = new ArrayDeque<>();
    private final List<Object> dropped = new ArrayList<>();
    private final Busy downstream = new Busy();
    private final Executor worker = RecordingWorker.of(downstream.heard, line::add);

    private ElementGate<Integer> started(LimiterPlan<Integer> plan) {
        ElementGate<Integer> gate = new ElementGate<>(plan, downstream, worker);
        gate.start();
        gate.request(Long.MAX_VALUE);
        return gate;
    }

    private StreamOptions options() {
        return StreamOptions.defaults().prefetch(8).onDropped(dropped::add);
    }

    @Test
    @DisplayName("the source is cancelled at once, not when downstream returns")
    void cancelled() {
        ElementGate<Integer> gate = started(GatePlan.of(RateLimiter.of(Limit.unlimited()), options()));
        downstream.onNext = () -> {
            gate.cancel();
            assertThat(downstream.heard).containsExactly("1", "cancelled");
        };
        gate.offer(1);
        assertThat(downstream.heard).containsExactly("1", "cancelled", "ended");
    }

    @Test
    @DisplayName("a gate that evicts the oldest holds twice the room at most, and reports what it evicts")
    void evicted() {
        StreamOptions evicting = StreamOptions.defaults()
                .buffer(2)
                .whenFull(WhenFull.EVICT_OLDEST)
                .onDropped(dropped::add);
        ElementGate<Integer> gate = started(GatePlan.of(RateLimiter.of(Limit.unlimited()), evicting));
        downstream.onNext = () -> {
            downstream.onNext = () -> {};
            for (int element = 2; element <= 5; element++) {
                gate.offer(element);
                assertThat(gate.held()).isLessThanOrEqualTo(2);
            }
            assertThat(dropped).containsExactly(2, 3);
        };
        gate.offer(1);
        assertThat(downstream.heard).containsExactly("1", "4", "5");
        assertThat(dropped).containsExactly(2, 3);
    }

    @Test
    @DisplayName("downstream that asks for more and then throws has cancelled: what comes later is dropped, not held")
    void throwing() {
        ElementGate<Integer> gate = started(GatePlan.of(RateLimiter.of(Limit.unlimited()), options()));
        downstream.onNext = () -> {
            gate.request(1);
            throw new IllegalStateException("on purpose");
        };
        assertThatThrownBy(() -> gate.offer(1)).hasMessage("on purpose");
        gate.offer(2);
        assertThat(dropped).containsExactly(2);
        assertThat(gate.held()).isZero();
    }

    @Test
    @DisplayName(
            "a dearer element that has become the next to go: what was granted goes back, and its own price is asked")
    void dearerAfterTheGrant() {
        LimiterPlan<Integer> plan =
                GatePlan.weighted(threeASecond, cost -> cost, options().order(QueueOrder.NEWEST_FIRST));
        ElementGate<Integer> gate = started(plan);
        threeASecond.tryConsume(3);
        gate.offer(1);
        time.runNext();
        assertThat(line).as("granted, and not yet gone on").hasSize(1);
        gate.offer(3);
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
        assertThat(downstream.heard).containsExactly("3");
        assertThat(threeASecond.statistics()).satisfies(books -> {
            assertThat(books.available()).isZero();
            assertThat(books.acquired()).as("of 3, twice").isEqualTo(2);
            assertThat(books.queuedPermits()).as("the cheaper one waits anew").isEqualTo(1);
        });
    }

    @Test
    @DisplayName("an element that proves too large in the limiter's queue is dropped, and the stream goes on")
    void tooMuchForTheQueue() {
        LimiterPlan<Integer> plan = GatePlan.weighted(
                new ForeignLimiter(threeASecond), cost -> cost, options().onRefused(OnRefused.DROP));
        ElementGate<Integer> gate = new ElementGate<>(plan, downstream, line::add);
        gate.start();
        gate.offer(3);
        gate.offer(1);
        threeASecond.reconfigure(Limit.of(2, Duration.ofSeconds(1)));
        gate.request(Long.MAX_VALUE);
        assertThat(dropped).containsExactly(3);
        assertThat(downstream.heard).containsExactly("1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "an element that uses up the last demand: requests of other keys stay until downstream has returned without asking for more")
    void lastDemand(boolean asksForMore) {
        RateLimiter free = RateLimiter.of(Limit.unlimited());
        ElementGate<Integer> gate = new ElementGate<>(
                GatePlan.<Integer, Integer>perKey(key -> key == 1 ? free : threeASecond, key -> key, options()),
                downstream,
                worker);
        gate.start();
        gate.request(1);
        threeASecond.tryConsume(3);
        gate.offer(2);
        threeASecond.acquire(3, lease -> downstream.heard.add("another"));
        downstream.onNext = () -> {
            downstream.onNext = () -> {};
            assertThat(threeASecond.statistics().queuedPermits()).isEqualTo(4);
            if (asksForMore) {
                gate.request(1);
            }
        };
        gate.offer(1);
        assertThat(threeASecond.statistics().queuedPermits()).isEqualTo(asksForMore ? 4 : 3);
        time.runNext();
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
        assertThat(downstream.heard)
                .as("the place before another is kept, or given up")
                .containsExactly("1", asksForMore ? "2" : "another");
    }

    private static final class Busy extends RecordingStream {

        @Override
        public void requestFromSource(long elements) {}

        @Override
        public void discard(Integer element) {}
    }
}
