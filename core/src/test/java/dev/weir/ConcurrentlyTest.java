package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConcurrentlyTest {

    @Test
    @DisplayName("all run at the same time, and answers are in order")
    void together() {
        CyclicBarrier all = new CyclicBarrier(5);
        assertThat(Concurrently.ask(5, thread -> {
                    all.await();
                    return thread;
                }))
                .containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    @DisplayName("a task that fails is reported, though all others wait for it")
    void failure() {
        CyclicBarrier all = new CyclicBarrier(3);
        assertThatThrownBy(() -> Concurrently.run(3, thread -> {
                    if (thread == 2) {
                        throw new IllegalStateException("on purpose");
                    }
                    all.await();
                }))
                .isInstanceOf(AssertionError.class)
                .hasRootCauseMessage("on purpose");
    }
}
