package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One decision, one time: whoever reads the clock twice in it decides about two different instants. */
class ClockReadingsTest {

    private final CountingTime time = new CountingTime();
    private final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofNanos(100)))
            .timeSource(time)
            .build();

    @Test
    @DisplayName("a request that is decided at once reads the clock once")
    void asking() {
        assertThat(time.readingsOf(limiter::tryAcquire)).as("a grant").isEqualTo(1);
        assertThat(time.readingsOf(limiter::tryAcquire)).as("a refusal").isEqualTo(1);
        assertThat(time.readingsOf(() -> limiter.tryConsume(1))).as("a refusal").isEqualTo(1);
        time.now += 100;
        assertThat(time.readingsOf(() -> limiter.tryConsume(1))).as("a grant").isEqualTo(1);
    }

    @Test
    @DisplayName(
            "a request that has to wait reads the clock once, to ask and to enter the queue; who sets the alarm, once more")
    void waiting() {
        assertThat(time.readingsOf(() -> limiter.acquire(1, lease -> {})))
                .as("granted at once")
                .isEqualTo(1);
        assertThat(time.readingsOf(() -> limiter.acquire(1, lease -> {})))
                .as("to ask, and whether it was held up before the alarm was set")
                .isEqualTo(2);
        assertThat(time.readingsOf(() -> limiter.acquire(1, lease -> {})))
                .as("to ask, and to be taken in")
                .isEqualTo(1);
    }

    @Test
    @DisplayName("a pass over the queue reads it once, however many wait and however many are granted")
    void passing() {
        RateLimiter wide = RateLimiter.builder(Limit.of(3, Duration.ofNanos(100)))
                .timeSource(time)
                .build();
        List<Lease> granted = new ArrayList<>();
        wide.tryConsume(3);
        for (int i = 0; i < 5; i++) {
            wide.acquire(1, granted::add);
        }
        time.now += 100;
        assertThat(time.readingsOf(() -> time.task.run()))
                .as("how late the alarm is, the pass, and the next alarm")
                .isEqualTo(3);
        assertThat(granted).hasSize(3);
    }

    /** A clock that counts how often it is read, and keeps the last task it was given. */
    private static final class CountingTime implements TimeSource {

        long now;
        Runnable task = () -> {};
        private int readings;

        @Override
        public long nanoTime() {
            readings++;
            return now;
        }

        @Override
        public Cancellable schedule(Runnable later, long delayNanos) {
            task = later;
            return () -> {};
        }

        int readingsOf(Runnable action) {
            int before = readings;
            action.run();
            return readings - before;
        }
    }
}
