package dev.weir.rxjava;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.time.TimeSource;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RxTimeTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    @Test
    @DisplayName("a test scheduler is read by its own clock, to the nanosecond, and moves the timers")
    void testScheduler() {
        TestScheduler scheduler = new TestScheduler(17, NANOSECONDS);
        TimeSource time = RxTime.of(scheduler);
        assertThat(time.nanoTime()).isEqualTo(17);
        List<Long> ran = new ArrayList<>();
        time.schedule(() -> ran.add(time.nanoTime()), 3);
        time.schedule(() -> ran.add(time.nanoTime()), -5);
        time.schedule(() -> ran.add(-1L), 2).cancel();
        scheduler.advanceTimeBy(2, NANOSECONDS);
        assertThat(ran).containsExactly(17L);
        scheduler.advanceTimeBy(10, NANOSECONDS);
        assertThat(ran).containsExactly(17L, 20L);
    }

    @Test
    @DisplayName("real schedulers are read by a clock finer than milliseconds, and monotonic")
    void realSchedulers() {
        for (Scheduler scheduler : List.of(
                Schedulers.computation(), Schedulers.io(), Schedulers.single(), Schedulers.from(Runnable::run))) {
            TimeSource time = RxTime.of(scheduler);
            boolean fine = false;
            long last = time.nanoTime();
            for (int read = 0; read < 1000; read++) {
                long now = time.nanoTime();
                assertThat(now - last).isNotNegative();
                fine |= now % 1_000_000 != 0;
                last = now;
            }
            assertThat(fine).as("digits below the millisecond of %s", scheduler).isTrue();
        }
    }

    @Test
    @DisplayName("a scheduler with a clock of its own is believed, whoever wrote it")
    void ownClock() {
        Scheduler frozen = new Frozen();
        assertThat(RxTime.of(frozen).nanoTime()).isEqualTo(42);
    }

    @Test
    @DisplayName("a scheduler that takes no more tasks says so, instead of losing them")
    void rejection() {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        TimeSource time = RxTime.of(Schedulers.from(executor));
        executor.shutdown();
        assertThatThrownBy(() -> time.schedule(() -> {}, 0)).isInstanceOf(RejectedExecutionException.class);
        assertThat(plugins.takeErrors()).hasSize(1); // RxJava's own report
        assertThatThrownBy(() -> RxTime.of(new Frozen()).schedule(() -> {}, 5))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("takes no more tasks");
    }

    @Test
    @DisplayName("a scheduler that throws has rejected; a task that throws on the asking thread has not")
    void thrownBySchedulerOrTask() {
        IllegalStateException thrown = new IllegalStateException("forced");
        TimeSource broken = RxTime.of(new Frozen() {
            @Override
            public Disposable scheduleDirect(Runnable task, long delay, TimeUnit unit) {
                throw thrown;
            }
        });
        assertThatThrownBy(() -> broken.schedule(() -> {}, 5))
                .isInstanceOf(RejectedExecutionException.class)
                .hasCause(thrown);
        TimeSource here = RxTime.of(new Frozen() {
            @Override
            public Disposable scheduleDirect(Runnable task, long delay, TimeUnit unit) {
                task.run();
                return Disposable.disposed();
            }
        });
        List<String> ran = new ArrayList<>();
        here.schedule(() -> ran.add("ran"), 5);
        assertThat(ran).containsExactly("ran");
        assertThatThrownBy(() -> here.schedule(
                        () -> {
                            throw thrown;
                        },
                        5))
                .isSameAs(thrown);
    }

    @Test
    @DisplayName("a task that is due at the end of all time is not due now, on a virtual clock that has begun")
    void farAhead() {
        TestScheduler scheduler = new TestScheduler(5, SECONDS);
        AtomicInteger runs = new AtomicInteger();
        RxTime.of(scheduler).schedule(runs::incrementAndGet, Long.MAX_VALUE);
        scheduler.advanceTimeBy(36_500, DAYS);
        assertThat(runs).hasValue(0);
    }

    @Test
    @DisplayName("the trampoline is refused, as it would have the thread that asks sleep")
    void trampoline() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RxTime.of(Schedulers.trampoline()))
                .withMessageContaining("sleeps");
    }

    @Test
    @DisplayName("null is named")
    void nulls() {
        assertThatNullPointerException().isThrownBy(() -> RxTime.of(null)).withMessageContaining("scheduler");
        assertThatNullPointerException()
                .isThrownBy(() -> RxTime.of(Schedulers.computation()).schedule(null, 1))
                .withMessageContaining("task");
    }

    /** Its clock stands still and it takes no tasks. */
    private static class Frozen extends Scheduler {

        @Override
        public long now(TimeUnit unit) {
            return unit.convert(42, NANOSECONDS);
        }

        @Override
        public Disposable scheduleDirect(Runnable task, long delay, TimeUnit unit) {
            return Disposable.disposed();
        }

        @Override
        public Worker createWorker() {
            throw new IllegalStateException("no worker");
        }
    }
}
