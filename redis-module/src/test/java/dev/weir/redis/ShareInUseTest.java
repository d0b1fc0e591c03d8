package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a node's share of a limit of concurrency counts as in use: no more than what leases hold, whoever granted them. */
class ShareInUseTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final int PERMITS = 4;
    private static final int SHARE = 2;

    private final VirtualTimeSource time = new VirtualTimeSource();
    private boolean isGone;
    private Runnable whenTheClockIsRead = () -> {};

    private final TimeSource clock = new TimeSource() {
        @Override
        public long nanoTime() {
            Runnable now = whenTheClockIsRead;
            whenTheClockIsRead = () -> {};
            now.run();
            whenTheClockIsRead = now;
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return time.schedule(task, delayNanos);
        }
    };

    private static List<Limit> limits() {
        return List.of(Limit.concurrency(PERMITS), Limit.concurrency(PERMITS).countingCalls());
    }

    private PermitPolicy node(Limit limit) {
        Store model = new ModelStore(limit, time);
        Store way = (kept, question, listener) -> {
            if (isGone) {
                listener.failed(new IllegalStateException("gone"));
            } else {
                model.ask(kept, question, listener);
            }
        };
        NodeSettings settings =
                new TestSettings().nodes(PERMITS / SHARE).renewNanos(SECOND).build();
        PermitPolicy node = ModelFleet.policy(limit, way, Nodes.node(), clock, settings);
        node.signalTo(() -> {});
        return node;
    }

    private long take(PermitPolicy node) {
        return node.tryTake(1, time.nanoTime());
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("permits in hand as the server goes are not in use: when its leases have ended the node has its share")
    void permitsInHand(Limit limit) {
        PermitPolicy node = node(limit);
        for (int taken = 0; taken < 3; taken++) {
            assertThat(take(node)).isEqualTo(PermitPolicy.TAKEN);
        }
        node.putBack(1, time.nanoTime(), time.nanoTime());
        node.putBack(1, time.nanoTime(), time.nanoTime());
        isGone = true;
        node.release(1, time.nanoTime());
        assertThat(node.source(time.nanoTime())).isEqualTo(DecisionSource.FALLBACK);
        for (int round = 0; round < 3; round++) {
            for (int taken = 0; taken < SHARE; taken++) {
                assertThat(take(node)).as("round %d", round).isEqualTo(PermitPolicy.TAKEN);
            }
            assertThat(take(node)).as("round %d", round).isNotEqualTo(PermitPolicy.TAKEN);
            for (int taken = 0; taken < SHARE; taken++) {
                node.release(1, time.nanoTime());
            }
            assertThat(node.available(time.nanoTime())).as("round %d", round).isEqualTo(SHARE);
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("permits put back while a node has no more than its share are put back once")
    void putBackInRecovery(Limit limit) {
        PermitPolicy node = node(limit);
        isGone = true;
        assertThat(take(node)).isEqualTo(PermitPolicy.TAKEN);
        isGone = false;
        time.advanceBy(Duration.ofMillis(1_100));
        assertThat(node.source(time.nanoTime())).isEqualTo(DecisionSource.REMOTE);
        for (int round = 0; round < 3; round++) {
            long takenAt = time.nanoTime();
            assertThat(take(node)).as("round %d", round).isEqualTo(PermitPolicy.TAKEN);
            assertThat(take(node)).as("round %d", round).isNotEqualTo(PermitPolicy.TAKEN);
            node.putBack(1, takenAt, time.nanoTime());
            assertThat(node.available(time.nanoTime())).as("round %d", round).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("a lease of the server that ends while the share is taken leaves nothing in use that no lease holds")
    void endsDuringATake(Limit limit) {
        FleetTerms terms = new FleetTerms(limit, ModelFleet.settings(WhenUnavailable.LOCAL, PERMITS / SHARE));
        FleetState state = new FleetState(Held.NOTHING, time.nanoTime());
        OwnShare share = new OwnShare(terms, () -> state, time.nanoTime());
        state.hold(1, 1); // by a lease of the server
        assertThat(share.tryTake(1, 1, time.nanoTime())).isEqualTo(PermitPolicy.TAKEN);
        state.hold(1, 1);
        share.nowInUse(1);
        state.release(1, 1); // counts as that of the server, which goes on
        assertThat(share.available(time.nanoTime())).isEqualTo(SHARE - 1);
        assertThat(share.tryTake(1, 1, time.nanoTime())).isEqualTo(PermitPolicy.TAKEN);
        state.hold(1, 1);
        state.release(1, 1); // that of the server, on another thread, which then looks at the share
        assertThat(share.available(time.nanoTime())).isBetween(0L, (long) SHARE - 1);
        share.nowInUse(1);
        assertThat(share.available(time.nanoTime())).isEqualTo(SHARE - 1);
        state.release(1, 1);
        assertThat(share.available(time.nanoTime())).isEqualTo(SHARE);
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName(
            "what is being taken as another thread looks at the share is not free for that: it is held before it is in use")
    void lookedAtDuringATake(Limit limit) {
        PermitPolicy node = node(limit);
        isGone = true;
        whenTheClockIsRead = () -> assertThat(node.available(time.nanoTime())).isNotNegative();
        for (int taken = 0; taken < SHARE; taken++) {
            assertThat(take(node)).isEqualTo(PermitPolicy.TAKEN);
        }
        assertThat(take(node)).isNotEqualTo(PermitPolicy.TAKEN);
    }
}
