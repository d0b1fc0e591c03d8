package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RateGateTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(0);

    private RateLimiter limiter(int permits) {
        return RateLimiter.builder(Limit.of(permits, PERIOD)).timeSource(time).build();
    }

    @Test
    @DisplayName("a wait whose bound cannot be met is over at once")
    void hopelessWaitIsOverAtOnce() throws InterruptedException {
        RateGate gate = new RateGate(limiter(1));
        assertThat(gate.waitToProceed(Duration.ZERO)).isTrue();
        assertThat(gate.waitToProceed(Duration.ZERO)).isFalse();
        assertThat(gate.waitToProceed(PERIOD.minusNanos(1))).isFalse();
        time.advanceBy(PERIOD);
        assertThat(gate.waitToProceed(Duration.ZERO)).isTrue();
    }

    @Test
    @DisplayName("an interrupted thread takes no permit")
    void interruptedTakesNoPermit() {
        RateLimiter limiter = limiter(1);
        RateGate gate = new RateGate(limiter);
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(gate::waitToProceed);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(CancellationException.class)
                .isThrownBy(() -> gate.limitRate(List.of(1)).iterator().next());
        assertThat(Thread.interrupted()).isTrue();
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a paced iterator fails where the limiter refuses or is closed, and has not advanced")
    void refusedWhilePaced() {
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, PERIOD))
                .timeSource(time)
                .maxWait(Duration.ZERO)
                .build();
        RateGate gate = new RateGate(limiter);
        Iterator<Integer> paced = gate.limitRate(List.of(1, 2)).iterator();
        assertThat(paced.next()).isEqualTo(1);
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(paced::next);
        assertThatExceptionOfType(RateLimitExceededException.class)
                .isThrownBy(() -> gate.limitRate(Stream.of(1, 2)).toList());
        time.advanceBy(PERIOD);
        assertThat(paced.next()).isEqualTo(2);
        Iterator<Integer> closed = gate.limitRate(List.of(3)).iterator();
        limiter.close();
        assertThatIllegalStateException().isThrownBy(closed::next);
        assertThatIllegalStateException()
                .isThrownBy(() -> gate.limitRate(Stream.of(3)).toList());
    }

    @Test
    @DisplayName("refusals: an exception where the wait has no bound, false where it has")
    void refusals() throws InterruptedException {
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, PERIOD))
                .timeSource(time)
                .queueLimit(0)
                .build();
        RateGate gate = new RateGate(limiter);
        gate.waitToProceed();
        assertThatExceptionOfType(RateLimitExceededException.class)
                .isThrownBy(gate::waitToProceed)
                .satisfies(e -> assertThat(e.lease().reason()).contains(RefusalReason.QUEUE_FULL));
        assertThat(gate.waitToProceed(PERIOD)).isFalse();
        gate.close();
        time.advanceBy(PERIOD);
        assertThat(gate.waitToProceed(PERIOD))
                .as("the limiter is not the gate's")
                .isTrue();
        limiter.close();
        assertThatIllegalStateException().isThrownBy(gate::waitToProceed);
        assertThatIllegalStateException().isThrownBy(() -> gate.waitToProceed(PERIOD));
    }

    @Test
    @DisplayName("a thread waits for as long as its permit takes to come, and no longer")
    void waits() throws InterruptedException {
        RateLimiter limiter = limiter(1);
        RateGate gate = new RateGate(limiter);
        gate.waitToProceed();
        AtomicInteger proceeded = new AtomicInteger();
        Thread waiting = waiting(() -> {
            gate.waitToProceed();
            proceeded.incrementAndGet();
        });
        time.advanceBy(PERIOD.minusNanos(1));
        assertThat(limiter.statistics().acquired()).isEqualTo(1);
        time.advanceBy(1);
        waiting.join();
        assertThat(proceeded).hasValue(1);
    }

    @Test
    @DisplayName("a thread that is interrupted while it waits leaves its place")
    void interruptedWhileWaiting() throws InterruptedException {
        RateLimiter limiter = limiter(1);
        RateGate gate = new RateGate(limiter);
        gate.waitToProceed();
        AtomicInteger interrupted = new AtomicInteger();
        Thread waiting = waiting(() -> {
            try {
                gate.waitToProceed();
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
            }
        });
        waiting.interrupt();
        waiting.join();
        assertThat(interrupted).hasValue(1);
        assertThat(limiter.statistics().queuedPermits()).isZero();
        time.advanceBy(PERIOD);
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    private interface Waiting {
        void run() throws InterruptedException;
    }

    /** Starts a thread and returns when it waits and its alarm is set, so that the clock may go on. */
    private Thread waiting(Waiting body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.start();
        while (time.pendingTasks() == 0) {
            Thread.onSpinWait();
        }
        return thread;
    }

    @Test
    @DisplayName("a gate closes the limiter that it made")
    void closesItsOwn() {
        RateGate gate = new RateGate(1, PERIOD);
        gate.close();
        gate.close();
        assertThatIllegalStateException().isThrownBy(gate::waitToProceed);
    }

    @Test
    @DisplayName("streams are paced lazily and keep their close handlers and parallelism")
    void streams() {
        RateLimiter limiter = limiter(10);
        RateGate gate = new RateGate(limiter);
        List<String> closed = new ArrayList<>();
        Stream<Integer> source = Stream.iterate(1, i -> i + 1).onClose(() -> closed.add("closed"));
        try (Stream<Integer> paced = gate.limitRate(source)) {
            assertThat(limiter.availablePermits()).isEqualTo(10);
            assertThat(paced.limit(4)).containsExactly(1, 2, 3, 4);
        }
        assertThat(closed).containsExactly("closed");
        assertThat(limiter.availablePermits()).isEqualTo(6);
        assertThat(gate.limitRate(Stream.of(1, 2).parallel()).isParallel()).isTrue();
        assertThat(gate.limitRate(Stream.of(1, 2, 3).parallel()).toList()).containsExactly(1, 2, 3);
        assertThat(limiter.availablePermits()).isEqualTo(3);
    }

    @Test
    @DisplayName("iterables are paced at next, as often as they are iterated over")
    void iterables() {
        RateLimiter limiter = limiter(10);
        List<Integer> source = new ArrayList<>(List.of(1, 2));
        Iterable<Integer> paced = new RateGate(limiter).limitRate(source);
        assertThat(limiter.availablePermits()).isEqualTo(10);
        Iterator<Integer> first = paced.iterator();
        assertThat(first.hasNext()).isTrue();
        assertThat(limiter.availablePermits()).isEqualTo(10);
        assertThat(first.next()).isEqualTo(1);
        first.remove();
        assertThat(first.next()).isEqualTo(2);
        assertThat(first.hasNext()).isFalse();
        assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(first::next);
        assertThat(limiter.availablePermits()).isEqualTo(8);
        assertThat(paced).containsExactly(2);
    }

    @Test
    @Tag("storm")
    @DisplayName(
            "interrupts, timeouts and grants that race lose no permit: every permit let a thread proceed or is there")
    void racesLoseNoPermit() throws InterruptedException {
        long seed = 20_261_121;
        Random random = new Random(seed);
        RateLimiter limiter =
                RateLimiter.builder(Limit.concurrency(1)).timeSource(time).build();
        RateGate gate = new RateGate(limiter);
        AtomicInteger proceeded = new AtomicInteger();
        AtomicInteger stopped = new AtomicInteger();
        int rounds = 2_000;
        for (int round = 0; round < rounds; round++) {
            Lease out = limiter.tryAcquire();
            assertThat(out.isAcquired()).as("seed %d, round %d", seed, round).isTrue();
            int before = proceeded.get();
            boolean bounded = random.nextBoolean();
            Thread waiting = new Thread(() -> {
                try {
                    if (bounded ? gate.waitToProceed(PERIOD) : proceeds(gate)) {
                        proceeded.incrementAndGet();
                        return;
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                stopped.incrementAndGet();
            });
            waiting.start();
            while (limiter.statistics().queuedPermits() == 0) {
                Thread.onSpinWait();
            }
            Thread other =
                    new Thread(bounded && random.nextBoolean() ? () -> time.advanceBy(PERIOD) : waiting::interrupt);
            other.start();
            spin(random.nextInt(20_000));
            out.close();
            other.join();
            waiting.join();
            assertThat(limiter.availablePermits())
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(proceeded.get() > before ? 0 : 1);
            if (proceeded.get() > before) {
                reset(limiter);
            }
        }
        assertThat(proceeded.get() + stopped.get()).isEqualTo(rounds);
    }

    private static boolean proceeds(RateGate gate) throws InterruptedException {
        gate.waitToProceed();
        return true;
    }

    /** The gate closes no leases; more room takes the place of the permit that it keeps. */
    private static void reset(RateLimiter limiter) {
        int permits = limiter.limit().capacity();
        limiter.reconfigure(Limit.concurrency(permits + 1));
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    @Test
    @DisplayName("complains about what does not fit, by name")
    void badInput() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RateGate(0, PERIOD))
                .withMessage("occurrences must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RateGate(1, Duration.ZERO))
                .withMessageContaining("period");
        assertThatNullPointerException().isThrownBy(() -> new RateGate(1, null)).withMessage("period");
        assertThatNullPointerException().isThrownBy(() -> new RateGate(null)).withMessage("limiter");
        RateGate gate = new RateGate(limiter(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.waitToProceed(Duration.ofNanos(-1)))
                .withMessageContaining("timeout");
        assertThatNullPointerException()
                .isThrownBy(() -> gate.waitToProceed(null))
                .withMessage("timeout");
        assertThatNullPointerException()
                .isThrownBy(() -> gate.limitRate((Stream<String>) null))
                .withMessage("source");
        assertThatNullPointerException()
                .isThrownBy(() -> gate.limitRate((Iterable<String>) null))
                .withMessage("source");
    }
}
