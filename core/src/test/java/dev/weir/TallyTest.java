package dev.weir;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TallyTest {

    @Test
    @DisplayName("a tally adds up also for more threads than it has cells")
    void addsUpOverThreads() {
        Tally tally = new Tally();
        int threads = 300;
        int each = 1_000;
        CountDownLatch all = new CountDownLatch(threads);
        Concurrently.run(threads, thread -> {
            all.countDown();
            all.await();
            for (int i = 0; i < each; i++) {
                tally.add(thread, 2);
            }
        });
        tally.add(5, 7);
        tally.add(-1, 0);
        assertThat(tally.acquired()).isEqualTo(each * (threads * (threads - 1L) / 2) + 4);
        assertThat(tally.refused()).isEqualTo(2L * each * threads + 7);
    }

    @Test
    @Tag("storm")
    @DisplayName("of threads that look for the same place at the same time one gets it, and what all count adds up")
    void oneToAPlace() throws InterruptedException {
        int threads = 4;
        for (int round = 0; round < 200; round++) {
            Tally tally = new Tally();
            CountDownLatch all = new CountDownLatch(threads);
            AtomicInteger owners = new AtomicInteger();
            List<Thread> counting = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                counting.add(new Numbered(1_000_000 + 16 * i, () -> {
                    all.countDown();
                    while (all.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    tally.add(3, 1);
                    owners.addAndGet(tally.cell() == null ? 0 : 1);
                }));
            }
            counting.forEach(Thread::start);
            for (Thread thread : counting) {
                thread.join();
            }
            assertThat(tally.acquired()).as("round %d", round).isEqualTo(3L * threads);
            assertThat(tally.refused()).as("round %d", round).isEqualTo(threads);
            assertThat(owners).as("round %d", round).hasValue(1);
        }
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
