package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The gate on the clock of this machine; bounds are those that no load of the machine can break. */
@Timeout(60)
class RateGateRealTimeTest {

    private static final int PERMITS = 5;
    private static final Duration PERIOD = Duration.ofMillis(100);

    @Test
    @DisplayName("a thread proceeds no faster than the limit, and in the end does")
    void oneThread() throws InterruptedException {
        try (RateGate gate = new RateGate(PERMITS, PERIOD)) {
            long began = System.nanoTime();
            for (int i = 0; i < 4 * PERMITS; i++) {
                gate.waitToProceed();
            }
            assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(3 * PERIOD.toNanos());
        }
    }

    @Test
    @DisplayName("many threads, virtual ones where there are such, share one gate")
    void manyThreads() throws InterruptedException {
        int threads = 30;
        try (RateGate gate = new RateGate(PERMITS, PERIOD)) {
            ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
            CountDownLatch ended = new CountDownLatch(threads);
            long began = System.nanoTime();
            for (int i = 0; i < threads; i++) {
                VirtualThreads.start(() -> {
                    gate.limitRate(List.of("x")).iterator().next();
                    times.add(System.nanoTime());
                    ended.countDown();
                });
            }
            assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(times).hasSize(threads);
            assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo((threads / PERMITS - 1) * PERIOD.toNanos());
        }
    }

    @Test
    @DisplayName("a parallel stream is paced as a whole")
    void parallelStream() {
        try (RateGate gate = new RateGate(PERMITS, PERIOD)) {
            long began = System.nanoTime();
            Stream<Integer> source = IntStream.range(0, 4 * PERMITS).boxed().parallel();
            assertThat(gate.limitRate(source).mapToInt(i -> i).sum()).isEqualTo(190);
            assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(3 * PERIOD.toNanos());
        }
    }

    @Test
    @DisplayName("closing the gate ends the wait of those who stand at it")
    void closeEndsWaits() throws InterruptedException {
        RateGate gate = new RateGate(1, Duration.ofDays(1));
        gate.waitToProceed();
        AtomicReference<Throwable> ended = new AtomicReference<>();
        Thread waiting = new Thread(() -> {
            try {
                gate.waitToProceed();
            } catch (InterruptedException | RuntimeException e) {
                ended.set(e);
            }
        });
        waiting.start();
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        gate.close();
        waiting.join();
        assertThat(ended.get()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> gate.waitToProceed(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("a bounded wait that fits proceeds in time")
    void boundedWait() throws InterruptedException {
        try (RateGate gate = new RateGate(1, PERIOD)) {
            assertThat(gate.waitToProceed(Duration.ZERO)).isTrue();
            assertThat(gate.waitToProceed(Duration.ofSeconds(20))).isTrue();
        }
    }
}
