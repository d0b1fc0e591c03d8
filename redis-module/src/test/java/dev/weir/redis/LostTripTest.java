package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Errors that strike after a trip has been published, and keep it from being sent: it must not be waited for for ever. */
class LostTripTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource(1_000);
    private final ModelStore model = new ModelStore(LIMIT, time);
    private boolean isMemoryShort;

    private final Store store = new Store() {
        @Override
        public String server() {
            if (isMemoryShort) {
                throw new OutOfMemoryError("on purpose");
            }
            return "";
        }

        @Override
        public void ask(Limit limit, Question question, Store.Listener listener) {
            model.ask(limit, question, listener);
        }
    };

    private final FleetPolicy policy = ModelFleet.policy(LIMIT, store, new Node(), time, new TestSettings().build());

    @Test
    @DisplayName("the node decides alone, and the store again soon after")
    void notSent() {
        isMemoryShort = true;
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> policy.tryTake(1, time.nanoTime()));
        isMemoryShort = false;

        assertThat(policy.tryTake(1, time.nanoTime())).isZero();
        assertThat(policy.source(time.nanoTime())).isEqualTo(DecisionSource.FALLBACK);
        time.advanceBy(Duration.ofSeconds(2));
        assertThat(policy.tryTake(1, time.nanoTime())).isZero();
        assertThat(policy.source(time.nanoTime())).isEqualTo(DecisionSource.REMOTE);
    }
}
