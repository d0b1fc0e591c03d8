package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TimerWorkersTest {

    private static final int BLOCKED = 20;

    private final TimerThread timer = new TimerThread(System::nanoTime, DaemonThreads.named("test-timer-"));
    private final List<TimerWorkers> made = new ArrayList<>();
    private final TimerWorkers workers = make(DaemonThreads.named("test-worker-"));

    private TimerWorkers make(ThreadFactory threads) {
        TimerWorkers pool = new TimerWorkers(timer, threads);
        made.add(pool);
        return pool;
    }

    @AfterEach
    void stop() {
        made.forEach(TimerWorkers::shutdownNow);
    }

    @Test
    @DisplayName("tasks that block delay no others")
    void blockedTasksDelayNoOthers() throws InterruptedException {
        CountDownLatch release = block();
        CountDownLatch ran = new CountDownLatch(1);
        workers.execute(ran::countDown);
        assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        release.countDown();
    }

    @Test
    @DisplayName("threads that were added end once nothing is queued, though there is steady work")
    void addedThreadsEnd() throws InterruptedException {
        CountDownLatch release = block();
        assertThat(workers.getPoolSize()).isGreaterThanOrEqualTo(BLOCKED);
        release.countDown();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(8);
        while (workers.getPoolSize() > TimerWorkers.FEW && System.nanoTime() - end < 0) {
            CountDownLatch ran = new CountDownLatch(1);
            workers.execute(ran::countDown);
            assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(workers.getPoolSize()).isLessThanOrEqualTo(TimerWorkers.FEW);
    }

    @Test
    @DisplayName(
            "before there are workers nobody but the timer hands over; after that anybody does, and no task is lost")
    void anybodyHandsOver() throws InterruptedException {
        AtomicInteger ran = new AtomicInteger();
        assertThat(workers.begin(ran::incrementAndGet)).isFalse();
        workers.execute(() -> {});
        List<Thread> bringers = new ArrayList<>();
        for (int bringer = 0; bringer < 3; bringer++) {
            Thread thread = new Thread(() -> {
                for (int task = 0; task < 3_000; task++) {
                    CompletableFuture<Void> mine = new CompletableFuture<>();
                    boolean unused = workers.begin(() -> {
                        ran.incrementAndGet();
                        mine.complete(null);
                    });
                    mine.join();
                }
            });
            bringers.add(thread);
            thread.start();
        }
        for (Thread bringer : bringers) {
            bringer.join();
        }
        assertThat(ran).hasValue(9_000);
    }

    @Test
    @DisplayName(
            "who has nothing to do sleeps in no frame of ours: a dump of the threads shows nobody who waits for a permit")
    void nobodySleepsHere() {
        CompletableFuture<Thread> worker = new CompletableFuture<>();
        workers.execute(() -> worker.complete(Thread.currentThread()));
        while (worker.join().getState() == Thread.State.RUNNABLE) {
            Thread.onSpinWait();
        }
        assertThat(worker.join().getStackTrace())
                .isNotEmpty()
                .noneMatch(frame -> frame.getClassName().startsWith("dev.weir."));
    }

    @Test
    @DisplayName("a task that throws or interrupts its thread is no business of the next")
    void hostileTasks() {
        CompletableFuture<Throwable> reported = new CompletableFuture<>();
        TimerWorkers workers = make(task -> {
            Thread thread = DaemonThreads.named("test-worker-").newThread(task);
            thread.setUncaughtExceptionHandler((of, thrown) -> reported.complete(thrown));
            return thread;
        });
        for (int worker = 0; worker < TimerWorkers.FEW; worker++) {
            workers.execute(() -> Thread.currentThread().interrupt());
        }
        workers.execute(() -> {
            throw new AssertionError("of a task");
        });
        assertThat(reported.join()).hasMessage("of a task");
        CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
        workers.execute(() -> isInterrupted.complete(Thread.currentThread().isInterrupted()));
        assertThat(isInterrupted.join()).isFalse();
    }

    @Test
    @DisplayName("where no thread can be started who brings a task hears of it, the task is not run, and the next is")
    void noThreadAtFirst() {
        AtomicBoolean isFull = new AtomicBoolean(true);
        ThreadFactory threads = DaemonThreads.named("test-worker-");
        TimerWorkers workers = make(task -> {
            if (isFull.get()) {
                throw new OutOfMemoryError("no more threads");
            }
            return threads.newThread(task);
        });
        AtomicInteger ran = new AtomicInteger();

        assertThatThrownBy(() -> workers.execute(ran::incrementAndGet)).isInstanceOf(OutOfMemoryError.class);

        assertThat(workers.getPoolSize()).isZero();
        isFull.set(false);
        CompletableFuture<Integer> before = new CompletableFuture<>();
        workers.execute(() -> before.complete(ran.get()));
        assertThat(before.join()).isZero();
    }

    /** Keeps as many threads busy as there are few, and many more, until released. */
    private CountDownLatch block() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(BLOCKED);
        CountDownLatch release = new CountDownLatch(1);
        for (int task = 0; task < BLOCKED; task++) {
            workers.execute(() -> {
                begun.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        return release;
    }
}
