package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OneShotTest {

    private final AtomicInteger runs = new AtomicInteger();
    private final OneShot task = new OneShot(runs::incrementAndGet);

    @Test
    @DisplayName("runs once")
    void once() {
        task.run();
        task.run();
        assertThat(runs).hasValue(1);
    }

    @Test
    @DisplayName("does not run when it was called off before, and lets go of its task")
    void calledOff() {
        task.cancel();
        task.run();
        assertThat(runs).hasValue(0);
        assertThat(task.get()).isNull();
    }
}
