package dev.weir.samples.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.samples.driver.Traffic.Outcome;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

class TrafficTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** As of a busy machine: whoever reads it once more finds it up to two milliseconds later. */
    private static final class BusyClock implements TimeSource {

        private final VirtualTimeSource time = new VirtualTimeSource();
        private final Random random;
        private long heldUpNanos;

        BusyClock(long seed) {
            random = new Random(seed);
        }

        @Override
        public long nanoTime() {
            heldUpNanos += random.nextInt(2_000_000);
            return time.nanoTime() + heldUpNanos;
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return time.schedule(task, delayNanos);
        }
    }

    @RepeatedTest(10)
    void whatIsCountedAreTheDecisionsOfTheLimit(RepetitionInfo repetition) {
        long seed = repetition.getCurrentRepetition();
        BusyClock clock = new BusyClock(seed);

        CompletableFuture<Outcome> outcome =
                new Traffic(Limit.of(10, SECOND), 20, clock).offer(0, Duration.ofSeconds(20));
        clock.time.advanceBy(Duration.ofMinutes(1));

        assertThat(outcome).as("seed %d", seed).isCompleted();
        assertThat(outcome.join().mostInAnySecond()).as("seed %d", seed).isEqualTo(10);
    }
}
