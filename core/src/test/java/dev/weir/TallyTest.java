package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

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
}
