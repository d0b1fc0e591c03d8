package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Functions of the user that throw as an element arrives. */
class FailedFunctionsTest {

    private final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofHours(1)))
            .timeSource(new PassingTime(() -> 0))
            .build();
    private final Source source = new Source();
    private final List<Integer> priced = new ArrayList<>();
    private final List<Object> dropped = new ArrayList<>();
    private @Nullable Integer breaksOn;

    private ElementGate<Integer> started(StreamOptions options) {
        LimiterPlan<Integer> plan = GatePlan.weighted(
                limiter,
                element -> {
                    priced.add(element);
                    if (element < 0) {
                        throw new IllegalStateException("cost of " + element);
                    }
                    return 1;
                },
                options.onDropped(element -> {
                    dropped.add(element);
                    if (element.equals(breaksOn)) {
                        throw new IllegalStateException("consumer of " + element);
                    }
                }));
        ElementGate<Integer> gate = new ElementGate<>(plan, source, source.worker);
        gate.start();
        return gate;
    }

    @Test
    @DisplayName("a gate requests another element if the framework goes on without a failed one")
    void goesOn() {
        source.goesOn = true;
        ElementGate<Integer> gate = started(StreamOptions.defaults().prefetch(1));
        gate.request(1);
        for (int requested = 1; requested <= 3; requested++) {
            assertThat(source.requested).isEqualTo(requested);
            gate.offer(-requested);
        }
        gate.offer(7);
        assertThat(source.heard).containsExactly("7");
    }

    @Test
    @DisplayName(
            "the error waits for the elements held, but a consumer that throws as more arrives fails the stream at once")
    void consumerThrowsAfterTheSourceWasCutOff() {
        ElementGate<Integer> gate = started(StreamOptions.defaults().prefetch(8));
        gate.request(Long.MAX_VALUE);
        List.of(1, 2, -3).forEach(gate::offer);
        assertThat(source.heard).containsExactly("1", "cancelled");
        breaksOn = 4;
        gate.offer(4);
        assertThat(source.heard)
                .containsExactly("1", "cancelled", "dropped cost of -3", "error consumer of 4", "ended");
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName(
            "a key whose limiter cannot be had fails the stream, though the framework goes on without a failed element")
    void noLimiterForAKey() {
        source.goesOn = true;
        LimiterPlan<Integer> plan = GatePlan.<Integer, Integer>perKey(
                key -> {
                    throw new IllegalStateException("closed");
                },
                element -> element,
                StreamOptions.defaults().onDropped(dropped::add));
        ElementGate<Integer> gate = new ElementGate<>(plan, source, source.worker);
        gate.start();
        gate.request(1);
        gate.offer(1);
        assertThat(dropped).containsExactly(1);
        assertThat(source.heard).containsExactly("cancelled", "error closed", "ended");
    }

    @Test
    @DisplayName("an element that arrives after a cancel is dropped without a price")
    void lateAfterCancel() {
        ElementGate<Integer> gate = started(StreamOptions.defaults().prefetch(8));
        gate.cancel();
        gate.offer(-1);
        assertThat(dropped).containsExactly(-1);
        assertThat(priced).isEmpty();
        assertThat(source.heard).containsExactly("cancelled", "ended");
    }

    @Test
    @DisplayName("an element that arrives after a failure is dropped without a price")
    void lateAfterFailure() {
        ElementGate<Integer> gate = started(StreamOptions.defaults().prefetch(8));
        gate.request(Long.MAX_VALUE);
        gate.offer(1);
        gate.offer(2);
        limiter.close();
        gate.offer(-3);
        assertThat(dropped).containsExactly(2, -3);
        assertThat(priced).containsExactly(1, 2);
        assertThat(source.heard).hasSize(4).endsWith("ended");
    }

    private static final class Source extends RecordingStream {

        private long requested;
        private boolean goesOn;

        @Override
        public void requestFromSource(long elements) {
            requested += elements;
        }

        @Override
        public void discard(Integer element) {}

        @Override
        public @Nullable Throwable functionFailed(Integer element, Throwable error) {
            return goesOn ? null : error;
        }

        @Override
        public void error(Throwable error) {
            heard.add("error " + error.getMessage());
        }

        @Override
        public void errorDropped(Throwable error) {
            heard.add("dropped " + error.getMessage());
        }
    }
}
