package dev.weir.benchmarks.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Times that are known, and the window that is to be found among them. */
class QueueTest {

    @Test
    @DisplayName("a window ends before what is as far away as it is long")
    void mostWithin() {
        long[] times = {0, 0, 9, 10, 11, 30};
        assertThat(Queue.mostWithin(times, 1)).isEqualTo(2);
        assertThat(Queue.mostWithin(times, 10)).isEqualTo(3);
        assertThat(Queue.mostWithin(times, 11)).isEqualTo(4);
        assertThat(Queue.mostWithin(times, 100)).isEqualTo(6);
    }
}
