package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Permits that were booked for different times, and then taken at one time, as the node was late. */
class TakenInOnePassTest extends OnAServer {

    private static final Limit LIMIT = Limit.of(10, Duration.ofSeconds(1));

    private final VirtualTimeSource time = new VirtualTimeSource(0);

    private FleetPolicy node(String name) {
        Store store = new ScriptStore(host, "test", time, name);
        NodeSettings settings = new TestSettings().aheadNanos(2_000_000_000).build();
        return ModelFleet.policy(LIMIT, store, Nodes.node(), time, settings);
    }

    private void at(int millis) {
        time.advanceBy(Duration.ofMillis(millis).minusNanos(time.nanoTime()));
    }

    private long ask(FleetPolicy node, int permits, int waiting) {
        return node.tryTakeFirst(Queued.of(permits), waiting, Long.MAX_VALUE, time.nanoTime());
    }

    @Test
    @DisplayName("given back, they free nothing that another node took after them")
    void givenBack() {
        FleetPolicy late = node("late");
        FleetPolicy other = node("other");
        assertThat(ask(other, 1, 1)).isEqualTo(PermitPolicy.TAKEN);
        at(10);
        assertThat(ask(other, 9, 9)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(ask(late, 1, 2))
                .as("books for 1.000 and 1.010")
                .isEqualTo(Duration.ofMillis(990).toNanos());
        at(1_010);
        long taken = time.nanoTime();
        assertThat(ask(late, 1, 2)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(ask(late, 1, 1)).isEqualTo(PermitPolicy.TAKEN);
        at(1_020);
        assertThat(ask(other, 1, 1)).isEqualTo(PermitPolicy.TAKEN);
        at(1_030);
        late.giveBack(1, taken, time.nanoTime());
        late.giveBack(1, taken, time.nanoTime());
        at(2_005);
        FleetPolicy third = node("third");
        int granted = 0;
        while (ask(third, 1, 1) == PermitPolicy.TAKEN) {
            granted++;
        }
        assertThat(granted).as("beside that of 1.020").isEqualTo(9);
    }
}
