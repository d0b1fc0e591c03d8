package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread below the timer of this machine; bounds are those that no load of the machine can break. */
@Timeout(60)
class TimerThreadRealTimeTest {

    private static final long LONG = TimeUnit.SECONDS.toNanos(30);
    private static final long NEVER = TimeUnit.HOURS.toNanos(1);

    private final TimerThread timer = new TimerThread(System::nanoTime, DaemonThreads.named("test-timer-"));

    @Test
    @DisplayName("a timer runs each task of many threads once, never early, and sleeps through none")
    void nothingIsLost() throws InterruptedException {
        int threads = 4;
        int each = 20_000;
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger cancelled = new AtomicInteger();
        Queue<Long> early = new ConcurrentLinkedQueue<>();
        List<Thread> scheduling = new ArrayList<>();
        for (int seed = 0; seed < threads; seed++) {
            RandomGenerator random =
                    RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
            scheduling.add(new Thread(() -> {
                for (int task = 0; task < each; task++) {
                    long delay = random.nextLong(0, 300_000) - 50_000;
                    long begun = System.nanoTime();
                    if (random.nextInt(4) == 0) {
                        cancelled.incrementAndGet();
                        timer.schedule(() -> early.add(NEVER), NEVER).cancel();
                    } else {
                        timer.schedule(
                                () -> {
                                    ran.incrementAndGet();
                                    long by = delay - (System.nanoTime() - begun);
                                    if (by > 0) {
                                        early.add(by);
                                    }
                                },
                                delay);
                    }
                    if (random.nextInt(50) == 0) {
                        LockSupport.parkNanos(random.nextLong(200_000)); // so that the timer comes to sleep
                    }
                }
            }));
        }
        scheduling.forEach(Thread::start);
        for (Thread thread : scheduling) {
            thread.join();
        }
        awaitThat(() -> ran.get() + cancelled.get() >= threads * each);
        assertThat(ran.get() + cancelled.get()).isEqualTo(threads * each);
        assertThat(early).isEmpty();
    }

    @Test
    @DisplayName("a task scheduled as the timer goes to sleep is not slept through")
    void oneAtATime() throws InterruptedException {
        for (int round = 0; round < 5_000; round++) {
            CountDownLatch ran = new CountDownLatch(1);
            timer.schedule(ran::countDown, round % 7 * 1_000L);
            assertThat(ran.await(30, TimeUnit.SECONDS)).as("round %d", round).isTrue();
        }
    }

    @Test
    @DisplayName("a task that is due earlier runs earlier, although one due later was there before")
    void earliestFirst() {
        AtomicLong clock = new AtomicLong(); // stands still meanwhile: whoever is held up between two makes none later
        TimerThread byHand = new TimerThread(clock::get, DaemonThreads.named("test-timer-"));
        Queue<Long> order = new ConcurrentLinkedQueue<>();
        List<Long> delays = List.of(30L, 10L, 20L, 5L);
        for (long delay : delays) {
            byHand.schedule(() -> order.add(delay), delay);
        }
        byHand.schedule(() -> order.add(-1L), Long.MAX_VALUE);
        clock.set(30);
        awaitThat(() -> order.size() == delays.size());
        assertThat(order).containsExactly(5L, 10L, 20L, 30L);
    }

    @Test
    @DisplayName("a task that throws or interrupts ends nothing but itself")
    void tasksThatFail() throws InterruptedException {
        AtomicReference<Throwable> reported = new AtomicReference<>();
        ThreadFactory watched = task -> {
            Thread thread = DaemonThreads.named("test-timer-").newThread(task);
            thread.setUncaughtExceptionHandler((timer, thrown) -> reported.set(thrown));
            return thread;
        };
        TimerThread watchedTimer = new TimerThread(System::nanoTime, watched);
        AssertionError thrown = new AssertionError("on purpose");
        AtomicReference<Thread> interrupted = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(1);
        watchedTimer.schedule(
                () -> {
                    interrupted.set(Thread.currentThread());
                    Thread.currentThread().interrupt();
                    throw thrown;
                },
                0);
        watchedTimer.schedule(ran::countDown, 1_000_000);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(reported.get()).isSameAs(thrown);
        assertThat(interrupted.get().isInterrupted())
                .as("who is interrupted cannot sleep")
                .isFalse();
    }

    @Test
    @DisplayName("a thread that could not be started is tried anew by the next who schedules")
    void noThreadAtFirst() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        ThreadFactory factory = task -> asked.getAndIncrement() == 0
                ? new Thread(task) {
                    @Override
                    public synchronized void start() {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                }
                : DaemonThreads.named("test-timer-").newThread(task);
        TimerThread late = new TimerThread(System::nanoTime, factory);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> late.schedule(() -> {}, 0));
        CountDownLatch ran = new CountDownLatch(1);
        late.schedule(ran::countDown, 0);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(asked).hasValue(2);
    }

    @Test
    @DisplayName("a task scheduled while another thread fails to start the timer is run by a new thread")
    void threadThatAnotherFailsToStart() throws InterruptedException {
        CountDownLatch starting = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(1);
        ThreadFactory factory = task -> starting.getCount() > 0
                ? new Thread(task) {
                    @Override
                    public synchronized void start() {
                        starting.countDown();
                        awaitUninterruptibly(ran);
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                }
                : DaemonThreads.named("test-timer-").newThread(task);
        TimerThread shared = new TimerThread(System::nanoTime, factory);
        Thread other = new Thread(() -> shared.schedule(() -> {}, 0));
        other.setUncaughtExceptionHandler((thread, thrown) -> {}); // it may hear that there was no thread for it
        other.start();
        assertThat(starting.await(30, TimeUnit.SECONDS)).isTrue();
        shared.schedule(ran::countDown, 0);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        other.join();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @DisplayName("after an error the thread rests, and goes on with what is pending, though nobody schedules any more")
    void errorOfItsOwn() throws InterruptedException {
        AtomicReference<Thread> broken = new AtomicReference<>();
        Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
        ThreadFactory factory = task -> {
            Thread thread = DaemonThreads.named("test-timer-").newThread(task);
            thread.setUncaughtExceptionHandler((timer, thrown) -> reported.add(thrown));
            broken.set(thread);
            return thread;
        };
        OutOfMemoryError noMemory = new OutOfMemoryError("on purpose");
        TimerThread scarce = new TimerThread(
                () -> {
                    if (Thread.currentThread() == broken.get()) {
                        Thread.currentThread().interrupt(); // who is interrupted cannot rest
                        throw noMemory;
                    }
                    return System.nanoTime();
                },
                factory);
        CountDownLatch ran = new CountDownLatch(1);
        scarce.schedule(ran::countDown, 0);
        Thread thread = broken.get();
        awaitThat(() -> thread.getState() == Thread.State.TIMED_WAITING);
        broken.set(null);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(reported)
                .isNotEmpty()
                .allSatisfy(thrown -> assertThat(thrown).isSameAs(noMemory));
    }

    @Test
    @DisplayName("a task that could not be handed over for want of memory is handed over a rest later")
    void noMemoryToHandOver() throws InterruptedException {
        Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
        TimerThread scarce = new TimerThread(System::nanoTime, task -> {
            Thread thread = DaemonThreads.named("test-timer-").newThread(task);
            thread.setUncaughtExceptionHandler((timer, thrown) -> reported.add(thrown));
            return thread;
        });
        OutOfMemoryError noMemory = new OutOfMemoryError("on purpose");
        CountDownLatch runs = new CountDownLatch(2);
        TimerThread.HandOver handOver = () -> {
            runs.countDown();
            if (runs.getCount() > 0) {
                throw noMemory;
            }
        };
        scarce.schedule(handOver, 0);
        assertThat(runs.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(reported).containsExactly(noMemory);
    }

    @Test
    @DisplayName("a thread that ended is replaced by the next who schedules, and nothing that was pending is lost")
    void threadThatEnded() throws InterruptedException {
        AtomicReference<Thread> broken = new AtomicReference<>();
        CountDownLatch ended = new CountDownLatch(1);
        ThreadFactory factory = task -> {
            Thread thread = DaemonThreads.named("test-timer-").newThread(task);
            thread.setUncaughtExceptionHandler((timer, thrown) -> ended.countDown());
            return thread;
        };
        TimerThread replaced = new TimerThread(
                () -> {
                    if (Thread.currentThread() == broken.get()) {
                        throw new IllegalStateException("on purpose");
                    }
                    return System.nanoTime();
                },
                factory);
        CountDownLatch ran = new CountDownLatch(2);
        CountDownLatch begun = new CountDownLatch(1);
        replaced.schedule(ran::countDown, TimeUnit.MILLISECONDS.toNanos(300));
        replaced.schedule(
                () -> {
                    broken.set(Thread.currentThread());
                    begun.countDown();
                },
                0);
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        replaced.schedule(ran::countDown, 0);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
    }

    /** Returns when a condition holds, which it must soon. */
    static void awaitThat(BooleanSupplier condition) {
        long end = System.nanoTime() + LONG;
        boolean isSo = condition.getAsBoolean();
        while (!isSo && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
            isSo = condition.getAsBoolean();
        }
        assertThat(isSo).isTrue();
    }
}
