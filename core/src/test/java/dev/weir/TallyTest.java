package dev.weir;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TallyTest {

    @Test
    @DisplayName("what more threads count than there are cells adds up all the same")
    void addsUpOverThreads() throws InterruptedException {
        Tally tally = new Tally();
        int threads = 300;
        for (int i = 1; i <= threads; i++) {
            int granted = i;
            Thread thread = new Thread(() -> tally.add(granted, 2));
            thread.start();
            thread.join();
        }
        tally.add(5, 7);
        tally.add(-1, 0);
        assertThat(tally.acquired()).isEqualTo(threads * (threads + 1L) / 2 + 4);
        assertThat(tally.refused()).isEqualTo(2L * threads + 7);
    }

    @Test
    @DisplayName("sixteen threads that were made together write to nothing that another writes to")
    void threadsMadeTogether() throws InterruptedException {
        Tally tally = new Tally();
        Set<Tally.Cell> cells = new HashSet<>();
        for (int i = 0; i < 16; i++) {
            Thread thread = new Numbered(1_000_005 + i, () -> cells.add(requireNonNull(tally.cell())));
            thread.start();
            thread.join();
        }
        assertThat(cells).hasSize(16);
    }

    /** A thread whose number does not depend on what other threads there are. */
    private static final class Numbered extends Thread {

        private final long number;

        Numbered(long number, Runnable task) {
            super(task);
            this.number = number;
        }

        @Override
        public long getId() {
            return number;
        }
    }
}
