package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Errors that strike after a trip has been published, and keep it from being sent: it must not be waited for for ever. */
class LostTripTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));
    private static final Limit MANY = Limit.of(100, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource(1_000);
    private final ModelStore model = new ModelStore(LIMIT, time);
    private boolean isMemoryShort;
    private Store.Listener lost;

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

    private final FleetPolicy policy = ModelFleet.policy(LIMIT, store, Nodes.node(), time, new TestSettings().build());

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

    /** Permits are in hand, and a question for more was lost: neither its answer nor its deadline comes. */
    private FleetPolicy policyThatLost(ModelStore all) {
        boolean[] isLosing = {false};
        TimeSource losing = new TimeSource() {
            @Override
            public long nanoTime() {
                return time.nanoTime();
            }

            @Override
            public Cancellable schedule(Runnable task, long delayNanos) {
                return isLosing[0] ? () -> {} : time.schedule(task, delayNanos);
            }
        };
        Store answering = (kept, question, listener) -> {
            if (isLosing[0]) {
                lost = listener;
            } else {
                all.ask(kept, question, listener);
            }
        };
        NodeSettings leasing = new TestSettings().leaseAhead(10).build();
        FleetPolicy ahead = ModelFleet.policy(MANY, answering, Nodes.node(), losing, leasing);
        assertThat(ahead.tryTake(1, time.nanoTime())).isZero();
        isLosing[0] = true;
        for (int taken = 0; taken < 6; taken++) {
            assertThat(ahead.tryTake(1, time.nanoTime())).isZero();
        }
        isLosing[0] = false;
        time.advanceBy(Duration.ofSeconds(2));
        return ahead;
    }

    @Test
    @DisplayName("it is given up by a request for more than is in hand, and by a look")
    void withPermitsInHand() {
        FleetPolicy asked = policyThatLost(new ModelStore(MANY, time));
        assertThat(asked.tryTake(5, time.nanoTime())).isZero();
        assertThat(asked.source(time.nanoTime())).isEqualTo(DecisionSource.FALLBACK);

        FleetPolicy looked = policyThatLost(new ModelStore(MANY, time));
        assertThat(looked.available(time.nanoTime())).isEqualTo(100);
        assertThat(looked.source(time.nanoTime())).isEqualTo(DecisionSource.FALLBACK);
    }

    @Test
    @DisplayName(
            "it is given up by a charge, if that is all that comes, and the store hears of the charge when it may be asked")
    void onlyCharged() {
        ModelStore all = new ModelStore(MANY, time);
        FleetPolicy charged = policyThatLost(all);
        FleetPolicy other = ModelFleet.policy(MANY, all, Nodes.node(), time, ModelFleet.SETTINGS);
        long before = other.available(time.nanoTime());
        charged.charge(3, time.nanoTime());
        assertThat(charged.source(time.nanoTime())).isEqualTo(DecisionSource.FALLBACK);

        lost.failed(new TimeoutException("on purpose"));
        time.advanceBy(Duration.ofSeconds(5));
        assertThat(other.available(time.nanoTime())).isEqualTo(before - 3);
        assertThat(charged.source(time.nanoTime())).isEqualTo(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("it is given up by a permit that is given back")
    void onlyGivenBack() {
        FleetPolicy policy = policyThatLost(new ModelStore(MANY, time));
        policy.giveBack(1, time.nanoTime(), time.nanoTime());
        assertThat(policy.source(time.nanoTime())).isEqualTo(DecisionSource.FALLBACK);
    }
}
