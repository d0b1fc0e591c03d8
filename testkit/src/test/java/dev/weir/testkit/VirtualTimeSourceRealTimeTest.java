package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.TimeSource.Cancellable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The virtual clock under real threads: every task runs once, or not at all if it was cancelled in time. */
final class VirtualTimeSourceRealTimeTest {

    private static final int THREADS = 4;
    private static final int TASKS = 20_000;
    private static final int ROUNDS = 20_000;

    /** So many turns of a loop last about as long as many rounds. */
    private static final int SPINS = 1_000;

    @Test
    @Timeout(60)
    void whatIsScheduledWhileAnotherAdvancesIsNeverOverdueAndPending() {
        VirtualTimeSource time = new VirtualTimeSource();
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        CompletableFuture<Void> advancing = CompletableFuture.runAsync(() -> {
                    for (int round = 1; round <= ROUNDS; round++) {
                        awaitRound(begun, round);
                        time.advanceBy(Duration.ofNanos(1));
                        ended.set(round);
                    }
                })
                .whenComplete((done, failure) -> ended.set(ROUNDS)); // nobody waits for it if it has failed
        int overdue = 0;
        for (int round = 1; round <= ROUNDS; round++) {
            AtomicInteger ran = new AtomicInteger();
            begun.set(round);
            Cancellable task = time.schedule(ran::incrementAndGet, 1);
            awaitRound(ended, round);
            int ranInTime = ran.get();
            time.advanceBy(Duration.ZERO);
            overdue += ran.get() - ranInTime;
            task.cancel();
        }
        advancing.join();
        assertThat(overdue).isZero();
    }

    /** Who yields at once gives its whole turn to any other work of the machine, in each of the rounds. */
    @SuppressWarnings("ThreadPriorityCheck") // on a single processor the other could not go on otherwise
    private static void awaitRound(AtomicInteger reached, int round) {
        for (int spins = 1; reached.get() < round; spins++) {
            if (spins % SPINS == 0) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    @Timeout(60)
    void everyTaskRunsOnceUnlessItWasCancelled() {
        VirtualTimeSource time = new VirtualTimeSource(-500);
        AtomicLong runs = new AtomicLong();
        AtomicInteger twice = new AtomicInteger();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            Random random = new Random(thread);
            threads.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < TASKS; i++) {
                    AtomicInteger ran = new AtomicInteger();
                    Cancellable task = time.schedule(
                            () -> {
                                runs.incrementAndGet();
                                if (ran.incrementAndGet() > 1) {
                                    twice.incrementAndGet();
                                }
                            },
                            random.nextInt(50));
                    if (random.nextInt(4) == 0) {
                        task.cancel();
                        // Counts here if the task had begun before and above if not.
                        if (ran.getAndAdd(1) == 0) {
                            runs.incrementAndGet();
                        }
                    }
                    if (random.nextInt(8) == 0) {
                        time.advanceBy(Duration.ofNanos(random.nextInt(40)));
                    }
                }
            }));
        }
        threads.forEach(CompletableFuture::join);
        time.advanceBy(Duration.ofNanos(50));
        assertThat(time.pendingTasks()).isZero();
        assertThat(runs.get()).isGreaterThanOrEqualTo((long) THREADS * TASKS);
        assertThat(twice.get()).isLessThanOrEqualTo((int) (runs.get() - (long) THREADS * TASKS));
    }
}
