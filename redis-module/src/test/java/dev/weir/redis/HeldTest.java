package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a node tells the store that it holds. */
class HeldTest {

    private final VirtualTimeSource time = new VirtualTimeSource();

    /** What each of the questions for three permits tells, one after the other. */
    private List<Long> told(Limit limit) {
        ModelStore model = new ModelStore(limit, time);
        List<Long> told = new ArrayList<>();
        Store store = (kept, question, listener) -> {
            told.add(question.heldPermits() + 10 * question.heldCalls());
            model.ask(kept, question, listener);
        };
        FleetPolicy policy = ModelFleet.policy(limit, store, Nodes.node(), time, ModelFleet.SETTINGS);
        for (int taken = 0; taken < 3; taken++) {
            assertThat(policy.tryTake(1, time.nanoTime())).isZero();
        }
        return told;
    }

    @Test
    @DisplayName("it tells of permits that return on release, and of no others")
    void onlyWhatReturns() {
        Limit leases = Limit.concurrency(10);
        Limit rate = Limit.of(10, Duration.ofHours(1));
        assertThat(told(leases)).containsExactly(0L, 11L, 22L);
        assertThat(told(Limit.allOf(rate, leases))).containsExactly(0L, 11L, 22L);
        assertThat(told(rate)).containsExactly(0L, 0L, 0L);
    }

    @Test
    @DisplayName(
            "it may be on record from a question for permits on, unless that is not sent, until an answer that leaves it nothing")
    void onRecord() {
        Question taking = new Question(Wanted.atOnce(1, 1), Owed.NOTHING, List.of(), List.of(), 0, 0, false);
        Question telling = new Question(Wanted.NOTHING, Owed.NOTHING, List.of(), List.of(), 2, 1, false);
        Question looking = new Question(Wanted.NOTHING, Owed.NOTHING, List.of(), List.of(), 0, 0, false);
        assertThat(Held.NOTHING.asked(looking).isOnRecord()).isFalse();
        Held asked = Held.NOTHING.asked(taking);
        assertThat(asked.isOnRecord()).isTrue();
        assertThat(asked.notAsked().isOnRecord()).isFalse();
        assertThat(asked.asked(looking).notAsked().isOnRecord()).isTrue();
        assertThat(asked.answered(taking, 0).isOnRecord()).isFalse();
        assertThat(asked.answered(taking, 1).isOnRecord()).isTrue();
        assertThat(Held.NOTHING.with(2, 1).asked(telling).isOnRecord()).isTrue();
        assertThat(asked.answered(telling, 0).isOnRecord()).isTrue();
        assertThat(Held.NOT_COUNTED.with(2, 1).asked(taking).answered(taking, 1))
                .isEqualTo(Held.NOT_COUNTED);
    }
}
