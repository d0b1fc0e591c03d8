package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Usage of an outage that another thread has ended just before that usage was recorded. */
class ReporterTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final ManualStore store = new ManualStore(new ModelStore(LIMIT, time));
    private final FleetTerms terms = new FleetTerms(LIMIT, ModelFleet.SETTINGS);
    private final OwnShare share = new OwnShare(terms, this::state, time.nanoTime());
    private final Fallback fallback = new Fallback(terms, share, time.nanoTime());
    private final Trips trips = new Trips(terms, store, Nodes.node(), time, fallback, time.nanoTime());

    private final OutageDecisions inOutage = new OutageDecisions(trips, fallback);
    private final StoreDecisions decisions =
            new StoreDecisions(trips, inOutage, new Recovery(trips, share), new Stamps(terms.periodNanos()));

    private FleetState state() {
        return trips.state();
    }

    /** Asks for one, though what is known may tell that there is none. Returns whether the store was asked. */
    private boolean asks() {
        int before = store.asked.size();
        long unused = decisions.take(1, time.nanoTime());
        return store.asked.size() > before;
    }

    private void recordThree() {
        fallback.recordAgain(Owed.charged(3), terms, time.nanoTime());
    }

    @Test
    @DisplayName("a request that has recorded it reports it at once")
    void byARequest() {
        recordThree();
        trips.reporter.report();
        assertThat(store.latest().owed()).isEqualTo(Owed.ofParts(List.of(3L)));
    }

    @Test
    @DisplayName("who hears of a failure, perhaps inside the client's own writing, leaves it to another thread")
    void byAFailure() {
        recordThree();
        trips.reporter.reportAfterFailure();
        assertThat(store.asked).isEmpty();
        time.advanceBy(Duration.ZERO);
        assertThat(store.latest().owed()).isEqualTo(Owed.ofParts(List.of(3L)));
        trips.reporter.reportAfterFailure();
        time.advanceBy(Duration.ZERO);
        assertThat(store.asked).hasSize(1);
    }

    @Test
    @DisplayName("if a request has reported it by then, what the store has denied since is remembered")
    void byARequestBefore() {
        recordThree();
        trips.reporter.reportAfterFailure();
        fallback.charge(7, time.nanoTime());
        trips.reporter.report();
        store.answerAll();
        assertThat(asks()).isTrue();
        store.answerAll();
        assertThat(asks()).isFalse();

        time.advanceBy(Duration.ZERO);
        assertThat(asks()).isFalse();
    }

    @Test
    @DisplayName(
            "if the next outage has begun by then, it is reported by a probe that was answered, as what comes after it")
    void inTheNextOutage() {
        recordThree();
        trips.reporter.reportAfterFailure();
        assertThat(asks()).isTrue();
        store.fail();
        time.advanceBy(Duration.ZERO);
        assertThat(state().pending().owed()).isEqualTo(Owed.NOTHING);
        assertThat(fallback.isOwing()).isTrue();
    }
}
