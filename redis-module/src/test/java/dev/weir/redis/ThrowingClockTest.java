package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A clock that throws once: at each of the readings that something takes, in turn, or as a task is cancelled. */
class ThrowingClockTest {

    private static final Limit FIVE = Limit.of(5, Duration.ofSeconds(1));

    /** Long before zero: a time that is zero as nobody has set it is far ahead. */
    private static final long LONG_AGO = -1_000_000_000_000_000L;

    private VirtualTimeSource virtual = new VirtualTimeSource(-1);
    private final Clock time = new Clock();

    private final class Clock implements TimeSource {

        private int readingsUntilItThrows;
        private boolean cancelThrows;

        @Override
        public long nanoTime() {
            if (readingsUntilItThrows > 0 && --readingsUntilItThrows == 0) {
                throw new BrokenClockException();
            }
            return virtual.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            Cancellable scheduled = virtual.schedule(task, delayNanos);
            return () -> {
                scheduled.cancel();
                if (cancelThrows) {
                    cancelThrows = false;
                    throw new BrokenClockException();
                }
            };
        }
    }

    private static final class BrokenClockException extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    /** What happens is not reported to this thread, or is: both are fine. */
    private static void hearing(Runnable what) {
        try {
            what.run();
        } catch (BrokenClockException heard) {
            assertThat(heard).hasMessage(null);
        }
    }

    private void passes(int millis, Runnable eachOfThem) {
        for (int each = 0; each < millis; each++) {
            hearing(() -> virtual.advanceBy(Duration.ofMillis(1)));
            hearing(eachOfThem);
        }
    }

    /** Tries it anew for each reading. It lets the clock throw, and fails if that does harm. */
    private static void atEachReading(Consumer<ThrowingClockTest> what) {
        atEachReading(-1, what);
        atEachReading(LONG_AGO, what);
    }

    private static void atEachReading(long start, Consumer<ThrowingClockTest> what) {
        int reading = 0;
        ThrowingClockTest trial;
        do {
            trial = new ThrowingClockTest();
            trial.virtual = new VirtualTimeSource(start);
            trial.time.readingsUntilItThrows = 0;
            trial.reading = ++reading;
            what.accept(trial);
        } while (trial.time.readingsUntilItThrows == 0);
        assertThat(reading).as("tried").isGreaterThan(1);
    }

    private int reading;

    private void nowItThrows() {
        time.readingsUntilItThrows = reading;
    }

    private RateLimiter limiter(Limit limit, Store store) {
        NodeSettings settings = new TestSettings()
                .pollNanos(100_000_000)
                .renewNanos(1_000_000_000)
                .build();
        return limiter(limit, store, settings);
    }

    private RateLimiter limiter(Limit limit, Store store, NodeSettings settings) {
        return ModelFleet.builder(limit, store, settings).timeSource(time).build();
    }

    @Test
    @DisplayName("a failure, or a deadline, ends the question all the same: who waits is served, and so is the next")
    void failed() {
        atEachReading(trial -> {
            ManualStore store = new ManualStore(new ModelStore(FIVE, trial.virtual));
            RateLimiter limiter = trial.limiter(FIVE, store);
            CompletableFuture<Lease> waiting = limiter.acquire();
            trial.nowItThrows();
            hearing(store::fail);
            trial.served(limiter, store, waiting);
        });
        atEachReading(trial -> {
            ManualStore store = new ManualStore(new ModelStore(FIVE, trial.virtual));
            RateLimiter limiter = trial.limiter(FIVE, store);
            CompletableFuture<Lease> waiting = limiter.acquire();
            trial.nowItThrows();
            trial.passes(60, () -> {});
            trial.served(limiter, store, waiting);
        });
    }

    private void served(RateLimiter limiter, ManualStore store, CompletableFuture<Lease> waiting) {
        passes(3_000, store::answerAll);
        assertThat(waiting).as("reading %d", reading).isCompletedWithValueMatching(Lease::isAcquired);
        int left = time.readingsUntilItThrows;
        time.readingsUntilItThrows = 0;
        CompletableFuture<Lease> later = limiter.acquire();
        passes(100, store::answerAll);
        assertThat(later).as("reading %d", reading).isCompletedWithValueMatching(Lease::isAcquired);
        time.readingsUntilItThrows = left;
    }

    @Test
    @DisplayName("an answer counts, though the task of its deadline cannot be cancelled")
    void cancelled() {
        ManualStore store = new ManualStore(new ModelStore(FIVE, virtual));
        RateLimiter limiter = limiter(FIVE, store);
        CompletableFuture<Lease> waiting = limiter.acquire();
        time.cancelThrows = true;
        hearing(store::answerAll);
        assertThat(time.cancelThrows).isFalse();
        served(limiter, store, waiting);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("the end of a lease is told to the store, also as it is put back")
    void released(boolean closes) {
        Limit slot = Limit.concurrency(1);
        atEachReading(trial -> {
            ManualStore store = new ManualStore(new ModelStore(slot, trial.virtual));
            RateLimiter limiter = trial.limiter(slot, store);
            CompletableFuture<Lease> asked = limiter.acquire();
            trial.passes(10, store::answerAll);
            Lease lease = asked.join();
            trial.nowItThrows();
            hearing(closes ? lease::close : lease::giveBack);
            trial.passes(3_000, store::answerAll);
            assertThat(store.latest().heldPermits())
                    .as("reading %d", trial.reading)
                    .isZero();
        });
    }

    @Test
    @DisplayName("what is held is renewed on and on")
    void renewed() {
        Limit slots = Limit.concurrency(2);
        atEachReading(trial -> {
            ManualStore store = new ManualStore(new ModelStore(slots, trial.virtual));
            CompletableFuture<Lease> asked = trial.limiter(slots, store).acquire();
            trial.passes(2_500, store::answerAll);
            assertThat(asked).isCompletedWithValueMatching(Lease::isAcquired);
            trial.nowItThrows();
            trial.passes(3_000, store::answerAll);
            int before = store.asked.size();
            int left = trial.time.readingsUntilItThrows;
            trial.time.readingsUntilItThrows = 0;
            trial.passes(5_000, store::answerAll);
            trial.time.readingsUntilItThrows = left;
            assertThat(store.asked.size() - before)
                    .as("reading %d", trial.reading)
                    .isGreaterThanOrEqualTo(4);
        });
    }

    @Test
    @DisplayName("all whom one answer serves are served, though nobody asks any more")
    void servedByOneAnswer() {
        atEachReading(trial -> {
            ManualStore store = new ManualStore(new ModelStore(FIVE, trial.virtual));
            RateLimiter limiter = trial.limiter(FIVE, store);
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                waiting.add(limiter.acquire());
            }
            store.answer();
            trial.passes(1, () -> {});
            trial.nowItThrows();
            trial.passes(3_000, store::answerAll);
            assertThat(waiting).as("reading %d", trial.reading).allMatch(CompletableFuture::isDone);
        });
    }

    @Test
    @DisplayName("a permit of the share that was taken alone is not lost: the caller has its lease, or none was taken")
    void takenAlone() {
        Limit slots = Limit.concurrency(2);
        atEachReading(trial -> {
            RateLimiter limiter =
                    trial.limiter(slots, (limit, question, listener) -> listener.failed(new IllegalStateException()));
            assertThat(limiter.availablePermits()).isGreaterThanOrEqualTo(0);
            trial.passes(10, () -> {});
            List<Lease> got = new ArrayList<>();
            trial.nowItThrows();
            hearing(() -> got.add(limiter.tryAcquire()));
            int left = trial.time.readingsUntilItThrows;
            trial.time.readingsUntilItThrows = 0;
            got.forEach(Lease::close);
            assertThat(limiter.availablePermits())
                    .as("reading %d", trial.reading)
                    .isEqualTo(2);
            trial.time.readingsUntilItThrows = left;
        });
    }

    @Test
    @DisplayName("a permit fetched for a request that has left goes back soon")
    void leftMeanwhile() {
        Limit slots = Limit.concurrency(2);
        atEachReading(trial -> {
            ManualStore store = new ManualStore(new ModelStore(slots, trial.virtual));
            PermitRequest request = trial.limiter(slots, store).acquire(1, lease -> {});
            assertThat(request.cancel()).isTrue();
            trial.passes(5, store::answerAll);
            trial.nowItThrows();
            trial.passes(900, store::answerAll);
            assertThat(store.latest().heldPermits())
                    .as("reading %d", trial.reading)
                    .isZero();
            assertThat(store.asked).hasSizeGreaterThan(1);
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = WhenUnavailable.class,
            names = {"LOCAL", "ALLOW"})
    @DisplayName("what was admitted alone is told to the store when it is back")
    void admittedAlone(WhenUnavailable choice) {
        Limit many = Limit.of(20, Duration.ofHours(1));
        atEachReading(trial -> {
            ModelStore model = new ModelStore(many, trial.virtual);
            ManualStore store = new ManualStore(model);
            RateLimiter limiter = trial.limiter(many, store, ModelFleet.settings(choice, 2));
            assertThat(limiter.availablePermits()).isNotNegative();
            trial.passes(10, store::fail);
            for (int admitted = 0; admitted < 5; admitted++) {
                assertThat(limiter.tryAcquire().isAcquired()).isTrue();
            }
            trial.passes(300, store::fail);
            trial.nowItThrows();
            trial.passes(10_000, store::answerAll);
            RateLimiter other = ModelFleet.builder(many, model, ModelFleet.SETTINGS)
                    .timeSource(trial.virtual)
                    .build();
            assertThat(other.acquire(15)).as("reading %d", trial.reading).isCompleted();
            assertThat(other.acquire()).as("reading %d", trial.reading).isNotDone();
        });
    }
}
