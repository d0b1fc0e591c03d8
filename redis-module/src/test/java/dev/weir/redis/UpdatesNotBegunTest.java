package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Something is thrown while a trip for updates is begun, as an error for want of memory would be. */
class UpdatesNotBegunTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final FleetTerms terms = new FleetTerms(LIMIT, ModelFleet.SETTINGS);
    private final ManualStore store = new ManualStore(new ModelStore(LIMIT, time));
    private final OwnShare share = new OwnShare(terms, this::state, time.nanoTime());
    private final Fallback fallback = new Fallback(terms, share, time.nanoTime());
    private final Trips trips = new Trips(terms, store, Nodes.node(), time, fallback, time.nanoTime());

    private FleetState state() {
        return trips.state();
    }

    @Test
    @DisplayName("the caller hears of it, and the state is as before")
    void heard() {
        FleetState before = state();
        Question unreadable =
                new Question(Wanted.NOTHING, Owed.NOTHING, Collections.singletonList(null), List.of(), 0, 0, false);
        assertThatNullPointerException().isThrownBy(() -> trips.update(next -> next.notSent(unreadable)));
        assertThat(state()).isSameAs(before);

        trips.update(next -> next.owe(Owed.charged(3)));
        assertThat(store.latest().mostCharged()).isEqualTo(3);
    }
}
