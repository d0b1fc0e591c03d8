package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Whatever goes wrong as a stream drops what it holds, a stack that overflows for instance, its drain is left for the next to enter. */
class BrokenCleanUpTest {

    private final RecordingStream stream = new RecordingStream();
    private final LimiterPlan<Integer> plan = GatePlan.of(RateLimiter.of(Limit.unlimited()), StreamOptions.defaults());
    private final StreamFailure failure = new StreamFailure(stream);
    private final Losses<Integer> losses = new Losses<>(stream, failure, null);
    private final StreamSource<Integer> source = new StreamSource<>(stream, losses, failure);
    private final StreamDrain<Integer> drain =
            new StreamDrain<>(plan, stream, stream.worker, Intake.once(source, failure), losses, failure, source);
    private final BrokenLanes lanes = new BrokenLanes();

    @Test
    @DisplayName(
            "after a subscriber that has thrown, and at a later signal: the worker is released, and the next one cleans up")
    void drainIsLeft() {
        drain.replaceLanes(lanes);
        drain.demand.add(1);
        stream.onNext = () -> {
            throw new IllegalStateException("downstream");
        };
        assertThatThrownBy(() -> drain.admit(1, 1, LimiterPlan.NO_KEY, plan.limiterOf(LimiterPlan.NO_KEY)))
                .isInstanceOf(StackOverflowError.class);
        assertThat(stream.heard).containsExactly("1", "cancelled", "ended");
        assertThatThrownBy(drain::signal).isInstanceOf(StackOverflowError.class);
        lanes.isBroken = false;
        drain.signal();
        assertThat(lanes.cleanUps).as("one more when it has failed").isEqualTo(4);
        assertThat(stream.heard).containsExactly("1", "cancelled", "ended");
    }

    @Test
    @DisplayName("at a cancel: the same")
    void drainIsLeftAtCancel() {
        drain.replaceLanes(lanes);
        assertThatThrownBy(drain::cancel).isInstanceOf(StackOverflowError.class);
        assertThat(stream.heard).containsExactly("cancelled", "ended");
        lanes.isBroken = false;
        int before = lanes.cleanUps;
        drain.signal();
        assertThat(lanes.cleanUps).isEqualTo(before + 1);
        assertThat(stream.heard).containsExactly("cancelled", "ended");
    }

    private static final class BrokenLanes extends Lanes<Integer> {

        private boolean isBroken = true;
        private int cleanUps;

        @Override
        @Nullable
        Integer removeAny() {
            cleanUps++;
            if (isBroken) {
                throw new StackOverflowError();
            }
            return null;
        }

        @Override
        boolean hold(Integer element, int cost, Object key, RateLimiter limiter) {
            return false;
        }

        @Override
        boolean isFree(Object key) {
            return true;
        }

        @Override
        void absorb(boolean demand) {}

        @Override
        @Nullable
        Lane<Integer> next() {
            return null;
        }

        @Override
        void served(Lane<Integer> lane) {}

        @Override
        boolean isEmpty() {
            return true;
        }

        @Override
        void withdraw() {}

        @Override
        int size() {
            return 0;
        }
    }
}
