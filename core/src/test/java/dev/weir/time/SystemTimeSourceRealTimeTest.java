package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The clock and the timer of this machine; bounds are those that no load of the machine can break. */
@Timeout(60)
class SystemTimeSourceRealTimeTest {

    private static final TimeSource TIME = TimeSource.system();

    /** When a task ran, and where. */
    private record Run(long atNanos, Thread thread) {}

    @Test
    @DisplayName("a task is never early, and runs on a daemon thread that is not the timer's")
    void neverEarlyAndNotOnTheTimer() {
        long delay = TimeUnit.MILLISECONDS.toNanos(20);
        CompletableFuture<Run> ran = new CompletableFuture<>();

        long scheduled = TIME.nanoTime();
        TIME.schedule(() -> ran.complete(new Run(TIME.nanoTime(), Thread.currentThread())), delay);

        Run run = ran.join();
        assertThat(run.atNanos() - scheduled).isGreaterThanOrEqualTo(delay);
        assertThat(run.thread().isDaemon()).isTrue();
        assertThat(run.thread().getName()).doesNotStartWith("weir-timer-");
    }

    @Test
    @DisplayName("tasks that block delay no other, however many they are")
    void tasksThatBlock() throws InterruptedException {
        int blocking = 2 * Runtime.getRuntime().availableProcessors() + 8;
        CountDownLatch begun = new CountDownLatch(blocking);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch other = new CountDownLatch(1);
        try {
            for (int task = 0; task < blocking; task++) {
                TIME.schedule(
                        () -> {
                            begun.countDown();
                            await(release);
                        },
                        0);
            }
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();

            TIME.schedule(other::countDown, 1);

            assertThat(other.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            release.countDown();
        }
    }

    @Test
    @DisplayName("a task that is cancelled after the timer has handed it over, but before it has begun, never runs")
    void cancelledOnItsWay() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        try {
            keepAllBusy(release);
            // The timer's thread looks a millisecond later whether one more worker is needed: for the last of those
            // tasks it has done so before, for the next one after that is cancelled.
            SystemTimeSource.Threads.TIMER.schedule(
                    () -> {
                        TimeSource.Cancellable task = TIME.schedule(ran::incrementAndGet, 1);
                        SystemTimeSource.Threads.TIMER.schedule(
                                () -> {
                                    task.cancel();
                                    cancelled.complete(null);
                                },
                                2);
                    },
                    TimeUnit.MILLISECONDS.toNanos(2));
            cancelled.join();
        } finally {
            release.countDown();
        }
        runOne(); // the one before it has left the queue by now
        assertThat(ran).hasValue(0);
    }

    /** Returns when no worker is idle. */
    private static void keepAllBusy(CountDownLatch release) throws InterruptedException {
        int busy = 0;
        do {
            CountDownLatch begun = new CountDownLatch(1);
            TIME.schedule(
                    () -> {
                        begun.countDown();
                        await(release);
                    },
                    0);
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            busy++;
        } while (SystemTimeSource.Threads.WORKERS.size() > busy);
    }

    @Test
    @DisplayName("tasks that are cancelled long before they are due leave the timer as well")
    void cancelledTasksLeaveTheTimer() {
        int many = 10_000;
        for (int task = 0; task < many; task++) {
            TIME.schedule(() -> {}, TimeUnit.HOURS.toNanos(1)).cancel();
        }
        runOne();
        runOne(); // by now the timer has counted what was there before the first one
        assertThat(SystemTimeSource.Threads.TIMER.places()).isLessThan(many / 2);
    }

    private static void runOne() {
        CompletableFuture<Void> ran = new CompletableFuture<>();
        TIME.schedule(() -> ran.complete(null), 1);
        ran.join();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
