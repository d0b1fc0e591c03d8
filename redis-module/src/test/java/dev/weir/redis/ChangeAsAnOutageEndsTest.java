package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An outage that ends while its limit is being changed: all that the node admitted alone is told, at whichever instant that is. */
class ChangeAsAnOutageEndsTest {

    private static final int NODES = 4;
    private static final int TAKEN = 2;
    private static final Duration PERIOD = Duration.ofSeconds(8);
    private static final Limit BEFORE = Limit.of(NODES * TAKEN, PERIOD);

    private final FleetState state = new FleetState(Held.NOT_COUNTED, 0);

    private static List<Limit> changes() {
        return List.of(
                Limit.of(10 * NODES * TAKEN, PERIOD),
                Limit.of(NODES, PERIOD),
                Limit.of(NODES * TAKEN, PERIOD.multipliedBy(10)));
    }

    @Test
    @DisplayName("when its share has been raised, and the limit not yet")
    void theShareOnly() {
        FleetTerms terms = new FleetTerms(BEFORE, ModelFleet.settings(WhenUnavailable.LOCAL, NODES));
        OwnShare share = new OwnShare(terms, () -> state, 0);
        Fallback alone = new Fallback(terms, share, 0);
        assertThat(alone.tryTake(TAKEN, TAKEN, 0)).isEqualTo(PermitPolicy.TAKEN);
        alone.taken(TAKEN, TAKEN, 0);
        share.reconfigure(Limit.of(10 * NODES * TAKEN, PERIOD), 0);
        assertThat(alone.takeOwed(terms, 0).ofParts()).containsExactly((long) TAKEN);
    }

    /** A limit whose policies let something happen right before and after that method of theirs. */
    private record Watched(Limit limit, String method, Runnable meanwhile) implements Limit {

        @Override
        public int capacity() {
            return limit.capacity();
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            PermitPolicy policy = limit.newPolicy(nowNanos);
            return (PermitPolicy) Proxy.newProxyInstance(
                    PermitPolicy.class.getClassLoader(),
                    new Class<?>[] {PermitPolicy.class},
                    (proxy, called, values) -> {
                        Runnable around = called.getName().equals(method) ? meanwhile : () -> {};
                        around.run();
                        Object result = called.invoke(policy, values);
                        around.run();
                        return result;
                    });
        }
    }

    /** A share of which some has been taken. */
    private OwnShare shareOf(String method, Consumer<OwnShare> meanwhile) {
        AtomicReference<OwnShare> made = new AtomicReference<>();
        Limit limit = new Watched(BEFORE, method, () -> meanwhile.accept(made.get()));
        OwnShare share = new OwnShare(new FleetTerms(limit, ModelFleet.SETTINGS), () -> state, 0);
        made.set(share);
        share.take(TAKEN, 0);
        return share;
    }

    @ParameterizedTest
    @MethodSource("changes")
    @DisplayName("while its share is being changed")
    void whileItIsChanged(Limit after) {
        List<Long> missing = new ArrayList<>();
        OwnShare share = shareOf("reconfigure", changing -> missing.add(changing.missing(0)[0]));
        share.reconfigure(after, 0);
        assertThat(missing).hasSize(2).allMatch(permits -> permits >= TAKEN);
        assertThat(share.missing(0)).containsExactly(TAKEN);
    }

    @ParameterizedTest
    @MethodSource("changes")
    @DisplayName("while what is missing of its share is being looked at, even if it is changed back meanwhile")
    void whileItIsLookedAt(Limit after) {
        Queue<Limit> next = new ArrayDeque<>();
        OwnShare share = shareOf("availableOfEach", changing -> {
            if (!next.isEmpty()) {
                changing.reconfigure(next.remove(), 0);
            }
        });
        next.addAll(List.of(after, BEFORE));
        assertThat(share.missing(0)).containsExactly(TAKEN);
        assertThat(next).isEmpty();
    }
}
