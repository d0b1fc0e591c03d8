package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

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
    @DisplayName("a task that is due at the end of all time is not due now, on a virtual clock that has begun")
    void farAhead() {
        VirtualTimeScheduler scheduler = VirtualTimeScheduler.create();
        scheduler.advanceTimeBy(Duration.ofSeconds(5));
        AtomicInteger runs = new AtomicInteger();
        ReactorTime.of(scheduler).schedule(runs::incrementAndGet, Long.MAX_VALUE);
        scheduler.advanceTimeBy(Duration.ofDays(36_500));
        assertThat(runs).hasValue(0);
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

    @Test
    @DisplayName("a scheduler that is disposed is refused, of real time or virtual")
    void disposedScheduler() {
        for (Scheduler gone : List.of(Schedulers.newSingle("gone"), VirtualTimeScheduler.create())) {
            gone.dispose();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ReactorTime.of(gone))
                    .withMessageContaining(gone.toString())
                    .withCauseInstanceOf(RejectedExecutionException.class);
        }
    }
}
