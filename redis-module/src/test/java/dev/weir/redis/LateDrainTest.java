package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A node that looks after those who wait later than it was told to, in virtual time. */
class LateDrainTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final int PERMITS = 10;

    private final VirtualTimeSource time = new VirtualTimeSource(-1);

    private static List<Limit> limits() {
        return List.of(
                Limit.leakyBucket(PERMITS, PERIOD),
                Limit.of(PERMITS, PERIOD),
                Limit.slidingWindow(PERMITS, PERIOD, PERMITS),
                Limit.fixedWindow(PERMITS, PERIOD));
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("a booking is used 50 ms late at most, and then given back and made anew")
    void late(Limit limit) {
        for (long stalled : new long[] {50, 51, 900}) {
            ManualStore store = new ManualStore(new ModelStore(limit, time));
            FleetPolicy policy = ModelFleet.policy(limit, store, Nodes.node(), time, ModelFleet.SETTINGS);
            assertThat(ask(policy, PERMITS)).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
            store.answerAll();
            assertThat(ask(policy, PERMITS)).isEqualTo(PermitPolicy.TAKEN);
            assertThat(ask(policy, PERMITS)).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
            store.answerAll();
            long wait = ask(policy, PERMITS);
            assertThat(wait).isPositive().isNotEqualTo(PermitPolicy.AWAIT_SIGNAL);
            time.advanceBy(Duration.ofNanos(wait).plusMillis(stalled));
            assertThat(ask(policy, PERMITS) == PermitPolicy.TAKEN)
                    .as("%d ms late", stalled)
                    .isEqualTo(stalled == 50);
            assertThat(store.latest().undone()).hasSize(stalled == 50 ? 0 : 1);
        }
    }

    private long ask(FleetPolicy policy, int permits) {
        return policy.tryTakeFirst(Queued.of(permits), permits, Long.MAX_VALUE, time.nanoTime());
    }
}
