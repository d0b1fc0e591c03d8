package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RetirableTest {

    private static final int ROUNDS = 20_000;

    private static final class Thing extends Retirable {

        private final AtomicInteger marks = new AtomicInteger();

        @Override
        boolean isUnused() {
            return marks.get() == 0;
        }
    }

    @Test
    @DisplayName("an unused thing is retired once; a used one is not")
    void retiresWhatIsUnused() {
        Thing unused = new Thing();
        assertThat(unused.retire()).isTrue();
        assertThat(unused.retire()).isFalse();
        assertThat(unused.isRetired()).isTrue();
        assertThat(unused.confirmUse()).isFalse();
        unused.pin();
        assertThat(unused.isRetired()).isTrue();

        Thing used = new Thing();
        used.marks.incrementAndGet();
        assertThat(used.confirmUse()).isTrue();
        assertThat(used.retire()).isFalse();
        used.marks.decrementAndGet();
        assertThat(used.retire()).isTrue();
    }

    @Test
    @DisplayName("a pinned thing is never retired")
    void pinnedStays() {
        Thing pinned = new Thing();
        pinned.pin();
        assertThat(pinned.retire()).isFalse();
        pinned.pin();
        assertThat(pinned.retire()).isFalse();
        assertThat(pinned.confirmUse()).isTrue();
    }

    @Test
    @DisplayName("a use or a pin ends the trial of a limiter; a second attempt to retire it does not")
    void usedWhileOnTrial() {
        for (int trial = 1; trial <= 3; trial++) {
            OnTrial used = new OnTrial();
            for (int earlier = 1; earlier < trial; earlier++) {
                used.meanwhile = used::confirmUse;
                assertThat(used.retire()).isFalse();
            }
            used.meanwhile = used::confirmUse;
            assertThat(used.retire()).as("trial %s", trial).isFalse();
            assertThat(used.heard).isTrue();
            used.meanwhile = used::retire;
            assertThat(used.retire()).isTrue();
            assertThat(used.heard).as("one retirer only").isFalse();
            assertThat(used.confirmUse()).isFalse();
        }
        OnTrial pinned = new OnTrial();
        pinned.meanwhile = () -> {
            pinned.pin();
            return true;
        };
        assertThat(pinned.retire()).isFalse();
        pinned.meanwhile = () -> true;
        assertThat(pinned.retire()).isFalse();
    }

    @Test
    @DisplayName("a retirer whose trial was ended has no part in the next one")
    void trialsAreNotMixedUp() {
        OnTrial thing = new OnTrial();
        thing.meanwhile = () -> {
            thing.meanwhile = () -> true;
            return thing.confirmUse() && thing.retire();
        };
        assertThat(thing.retire()).as("the one inside did it").isFalse();
        assertThat(thing.isRetired()).isTrue();
    }

    /** Unused, but something happens while that is found out. */
    private static final class OnTrial extends Retirable {

        private BooleanSupplier meanwhile = () -> true;
        private boolean heard;

        @Override
        boolean isUnused() {
            heard = meanwhile.getAsBoolean();
            return true;
        }
    }

    @Test
    @Tag("storm")
    @DisplayName("of a user and two retirers at the same time exactly one succeeds")
    void userAndRetirersExcludeEachOther() {
        Thing[] things = new Thing[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            things[i] = new Thing();
        }
        boolean[] kept = new boolean[ROUNDS];
        boolean[][] retired = new boolean[2][ROUNDS];
        CyclicBarrier start = new CyclicBarrier(3);
        Concurrently.run(3, thread -> {
            for (int i = 0; i < ROUNDS; i++) {
                start.await();
                if (thread < 2) {
                    retired[thread][i] = things[i].retire();
                } else {
                    things[i].marks.incrementAndGet();
                    kept[i] = things[i].confirmUse();
                }
            }
        });
        for (int i = 0; i < ROUNDS; i++) {
            assertThat(retired[0][i] && retired[1][i])
                    .as("retired twice in round %d", i)
                    .isFalse();
            assertThat(kept[i]).as("kept in round %d", i).isNotEqualTo(retired[0][i] || retired[1][i]);
        }
    }
}
