package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.time.TimeSource;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The clock of a scheduler. What is virtual is in {@link VirtualTimeTest}. */
class ReactorTimeTest {

    @Test
    @DisplayName("real schedulers are read by a clock finer than milliseconds, and monotonic")
    void realSchedulers() {
        for (Scheduler scheduler : List.of(Schedulers.parallel(), Schedulers.single(), Schedulers.boundedElastic())) {
            TimeSource time = ReactorTime.of(scheduler);
            boolean fine = false;
            long last = time.nanoTime();
            for (int read = 0; read < 1000; read++) {
                long now = time.nanoTime();
                assertThat(now - last).isNotNegative();
                fine |= now % 1_000_000 != 0;
                last = now;
            }
            assertThat(fine).as("digits below the millisecond of %s", scheduler).isTrue();
        }
    }

    @Test
    @DisplayName("a scheduler that has no room is refused in its own words, not as one that cannot delay")
    void fullScheduler() {
        Scheduler full = Schedulers.newBoundedElastic(1, 1, "full");
        try {
            full.schedule(() -> {}, 1, TimeUnit.DAYS);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ReactorTime.of(full))
                    .withMessageContaining("capacity")
                    .withMessageContaining("full")
                    .withCauseInstanceOf(RejectedExecutionException.class);
        } finally {
            full.dispose();
        }
    }
}
