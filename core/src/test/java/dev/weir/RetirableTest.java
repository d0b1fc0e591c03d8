package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
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
        assertThat(unused.keep()).isFalse();
        assertThat(unused.pin()).isFalse();

        Thing used = new Thing();
        used.marks.incrementAndGet();
        assertThat(used.keep()).isTrue();
        assertThat(used.retire()).isFalse();
        used.marks.decrementAndGet();
        assertThat(used.retire()).isTrue();
    }

    @Test
    @DisplayName("a pinned thing is never retired")
    void pinnedStays() {
        Thing pinned = new Thing();
        assertThat(pinned.pin()).isTrue();
        assertThat(pinned.retire()).isFalse();
        assertThat(pinned.pin()).isTrue();
        assertThat(pinned.keep()).isTrue();
    }

    @Test
    @Tag("storm")
    @DisplayName("of a user and two retirers at the same time exactly one succeeds")
    void userAndRetirersExcludeEachOther() throws Exception {
        Thing[] things = new Thing[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            things[i] = new Thing();
        }
        boolean[] kept = new boolean[ROUNDS];
        boolean[][] retired = new boolean[2][ROUNDS];
        CyclicBarrier start = new CyclicBarrier(3);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            Future<?> user = threads.submit(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    start.await();
                    things[i].marks.incrementAndGet();
                    kept[i] = things[i].keep();
                }
                return null;
            });
            Future<?> first = threads.submit(() -> retireAll(things, retired[0], start));
            Future<?> second = threads.submit(() -> retireAll(things, retired[1], start));
            user.get();
            first.get();
            second.get();
        } finally {
            threads.shutdownNow();
        }
        for (int i = 0; i < ROUNDS; i++) {
            assertThat(retired[0][i] && retired[1][i])
                    .as("retired twice in round %d", i)
                    .isFalse();
            assertThat(kept[i]).as("kept in round %d", i).isNotEqualTo(retired[0][i] || retired[1][i]);
        }
    }

    private static Void retireAll(Thing[] things, boolean[] retired, CyclicBarrier start) throws Exception {
        for (int i = 0; i < things.length; i++) {
            start.await();
            retired[i] = things[i].retire();
        }
        return null;
    }
}
