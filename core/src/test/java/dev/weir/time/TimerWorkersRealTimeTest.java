package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TimerWorkersRealTimeTest {

    private static final int BLOCKED = 20;
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long NOTHING_NANOS = 1;

    private final TimerThread timer = new TimerThread(System::nanoTime, DaemonThreads.named("test-timer-"));

    private TimerWorkers workers(long keepAliveNanos) {
        return new TimerWorkers(timer, DaemonThreads.named("test-worker-"), keepAliveNanos);
    }

    @Test
    @DisplayName("tasks that block delay no others")
    void blockedTasksDelayNoOthers() throws InterruptedException {
        TimerWorkers workers = workers(LONG_NANOS);
        CountDownLatch release = block(workers);
        CountDownLatch ran = new CountDownLatch(1);
        workers.execute(ran::countDown);
        assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        release.countDown();
    }

    @Test
    @DisplayName("tasks that block for a moment only do not pile up, though some begin all the time")
    void momentsDoNotPileUp() throws InterruptedException {
        int cold = threadsForMoments(200 * TimerWorkers.FEW);
        int warm = threadsForMoments(2_000 * TimerWorkers.FEW);
        assertThat(warm).as("after %d while cold", cold).isGreaterThan(2 * TimerWorkers.FEW);
    }

    @Test
    @DisplayName("a task that comes a moment after another began runs on that thread; a later one does not")
    void momentsStayTogether() {
        AtomicLong clock = new AtomicLong();
        TimerThread timer = new TimerThread(clock::get, DaemonThreads.named("test-timer-"));
        TimerWorkers workers = new TimerWorkers(timer, DaemonThreads.named("test-worker-"), LONG_NANOS);
        List<Thread> two = twoThreads(workers, clock);
        for (int round = 0; round < 50; round++) {
            two.forEach(TimerWorkersRealTimeTest::awaitRest);
            CompletableFuture<Thread> later = new CompletableFuture<>();
            workers.execute(
                    () -> { // runs for long enough for another thread to come, but by the clock of the timer
                        CompletableFuture<Thread> next = new CompletableFuture<>();
                        workers.execute(() -> next.complete(Thread.currentThread()));
                        for (long until = System.nanoTime() + 300_000; System.nanoTime() - until < 0; ) {
                            Thread.onSpinWait();
                        }
                        boolean hasBegun = next.isDone();
                        clock.addAndGet(TimeUnit.MICROSECONDS.toNanos(50));
                        workers.execute(() -> later.complete(hasBegun ? null : Thread.currentThread()));
                        later.join(); // so it takes another thread
                    });
            assertThat(later.join()).isIn(two);
        }
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1)); // so the watch ends
    }

    private static List<Thread> twoThreads(TimerWorkers workers, AtomicLong clock) {
        CompletableFuture<Thread> first = new CompletableFuture<>();
        CompletableFuture<Thread> second = new CompletableFuture<>();
        workers.execute(() -> {
            first.complete(Thread.currentThread());
            second.join();
        });
        Thread one = first.join();
        workers.execute(() -> second.complete(Thread.currentThread()));
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1)); // the watch sees that the second has not begun
        return List.of(one, second.join());
    }

    /** Has tasks run that each block for a moment; returns how many threads there were for them in the end. */
    private int threadsForMoments(int tasks) throws InterruptedException {
        TimerWorkers workers = workers(LONG_NANOS);
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(tasks);
        for (int task = 0; task < tasks; task++) {
            workers.execute(() -> {
                try {
                    boolean unused = never.await(100, TimeUnit.MICROSECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                ran.countDown();
            });
        }
        assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        return workers.size();
    }

    @Test
    @DisplayName("threads that were added end when they have been idle, though there is steady work")
    void addedThreadsEnd() throws InterruptedException {
        TimerWorkers workers = workers(TimeUnit.MILLISECONDS.toNanos(300));
        CountDownLatch release = block(workers);
        assertThat(workers.size()).isGreaterThanOrEqualTo(BLOCKED);
        release.countDown();
        while (workers.size() > TimerWorkers.FEW) { // the time-out of all tests ends it
            CountDownLatch ran = new CountDownLatch(1);
            workers.execute(ran::countDown);
            assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    @DisplayName("with nothing to do for long, no thread is left")
    void allEnd() {
        TimerWorkers workers = workers(TimeUnit.MILLISECONDS.toNanos(1));
        Thread worker = threadOf(workers);
        while (worker.isAlive()) {
            Thread.onSpinWait(); // the time-out of all tests ends it
        }
        assertThat(workers.size()).isZero();
    }

    @Test
    @DisplayName("no task is lost as workers rest and end, brought by several at once, and who rests sleeps")
    void nothingIsLost() throws InterruptedException {
        for (long keepAlive : new long[] {NOTHING_NANOS, TimeUnit.MICROSECONDS.toNanos(100), LONG_NANOS}) {
            TimerWorkers workers = workers(keepAlive);
            List<Thread> bringers = new ArrayList<>();
            AtomicInteger ran = new AtomicInteger();
            Set<Thread> used = ConcurrentHashMap.newKeySet();
            for (int bringer = 0; bringer < 3; bringer++) {
                Thread thread = new Thread(() -> {
                    for (int task = 0; task < 3_000; task++) {
                        CompletableFuture<Void> mine = new CompletableFuture<>();
                        workers.execute(() -> {
                            used.add(Thread.currentThread());
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
            used.forEach(TimerWorkersRealTimeTest::awaitSleep);
        }
    }

    @Test
    @DisplayName("an idle worker sleeps in no frame of this library")
    void nobodySleepsHere() {
        Thread worker = threadOf(workers(LONG_NANOS));
        awaitSleep(worker);
        assertThat(worker.getStackTrace())
                .isNotEmpty()
                .noneMatch(frame -> frame.getClassName().startsWith("dev.weir."));
    }

    @Test
    @DisplayName("a task that throws or interrupts its thread is no business of the next")
    void hostileTasks() {
        CompletableFuture<Throwable> reported = new CompletableFuture<>();
        TimerWorkers workers = new TimerWorkers(
                timer,
                task -> {
                    Thread thread = DaemonThreads.named("test-worker-").newThread(task);
                    thread.setUncaughtExceptionHandler((of, thrown) -> {
                        reported.complete(thrown);
                        throw new AssertionError("of a handler");
                    });
                    return thread;
                },
                LONG_NANOS);
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
    @DisplayName("a task runs on the timer's thread if no worker can be started, the next on one of its own")
    void noThreadAtFirst() {
        AtomicBoolean isFull = new AtomicBoolean(true);
        TimerWorkers workers = new TimerWorkers(timer, noneWhile(isFull, "test-worker-"), LONG_NANOS);

        Thread first = threadOf(workers);
        assertThat(first.getName()).startsWith("test-timer-");
        assertThat(workers.size()).isZero();
        awaitSleep(first);
        isFull.set(false);
        assertThat(threadOf(workers).getName()).startsWith("test-worker-");
    }

    @Test
    @DisplayName("a thread inherits nothing of whoever happens to be first")
    void nothingIsInherited() {
        InheritableThreadLocal<String> ofThisThread = new InheritableThreadLocal<>();
        ofThisThread.set("mine");
        CompletableFuture<String> seen = new CompletableFuture<>();
        workers(LONG_NANOS).execute(() -> seen.complete(String.valueOf(ofThisThread.get())));
        assertThat(seen.join()).isEqualTo("null");
        ofThisThread.remove();
    }

    @Test
    @DisplayName(
            "while no thread can be started one task after the other runs, and a thread is had as soon as there is one")
    void noThreadForAWhile() {
        AtomicBoolean isFull = new AtomicBoolean(true);
        TimerWorkers workers = new TimerWorkers(timer, noneWhile(isFull, "test-worker-"), LONG_NANOS);
        CompletableFuture<Thread> second = new CompletableFuture<>();
        workers.execute(() -> {
            workers.execute(() -> second.complete(Thread.currentThread()));
            isFull.set(false);
        });
        assertThat(second.join().getName()).startsWith("test-worker-");
    }

    @Test
    @DisplayName("a task is never run and its caller told if not even the timer has a thread")
    void noTimer() {
        AtomicBoolean isFull = new AtomicBoolean(true);
        TimerThread timer = new TimerThread(System::nanoTime, noneWhile(isFull, "test-timer-"));
        TimerWorkers workers = new TimerWorkers(timer, DaemonThreads.named("test-worker-"), LONG_NANOS);
        AtomicInteger ran = new AtomicInteger();

        assertThatThrownBy(() -> workers.execute(ran::incrementAndGet)).isInstanceOf(OutOfMemoryError.class);

        isFull.set(false);
        CompletableFuture<Integer> before = new CompletableFuture<>();
        workers.execute(() -> before.complete(ran.get()));
        assertThat(before.join()).isZero();
    }

    private static ThreadFactory noneWhile(AtomicBoolean isFull, String prefix) {
        ThreadFactory threads = DaemonThreads.named(prefix);
        return task -> {
            if (isFull.get()) {
                throw new OutOfMemoryError("no more threads");
            }
            return threads.newThread(task);
        };
    }

    private static Thread threadOf(TimerWorkers workers) {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        workers.execute(() -> ran.complete(Thread.currentThread()));
        return ran.join();
    }

    /** Returns when the thread does not use a processor, or has ended; the time-out of all tests ends it. */
    private static void awaitSleep(Thread thread) {
        while (thread.getState() == Thread.State.RUNNABLE) {
            Thread.onSpinWait();
        }
    }

    /** Returns when a worker waits to be called, and not for a task of another; the time-out of all tests ends it. */
    private static void awaitRest(Thread worker) {
        while (worker.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    /** Keeps as many threads busy as there are few, and many more, until released. */
    private static CountDownLatch block(TimerWorkers workers) throws InterruptedException {
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
