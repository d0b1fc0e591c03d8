package dev.weir.rxjava;

import dev.weir.time.TimeSource;
import io.reactivex.rxjava3.core.Scheduler;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The clock and the timer of an RxJava {@link Scheduler}, as a limiter needs them.
 *
 * <p>A scheduler that overrides {@link Scheduler#now} has a clock of its own, as
 * {@link io.reactivex.rxjava3.schedulers.TestScheduler} has, and that clock is read, in nanoseconds. All other schedulers
 * would answer the wall clock, in milliseconds, which jumps when it is set; for them the monotonic clock of
 * {@link TimeSource#system()} is read.
 *
 * <p>Tasks run on the scheduler. One that takes no more tasks when it is asked makes
 * {@link TimeSource#schedule} throw {@link RejectedExecutionException}; tasks that it loses later, as when it is shut down
 * with tasks pending, cannot be told from late ones.
 */
public final class RxTime implements TimeSource {

    private static final ClassValue<Boolean> HAS_OWN_CLOCK = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("now", TimeUnit.class).getDeclaringClass() != Scheduler.class;
            } catch (NoSuchMethodException impossible) {
                throw new AssertionError(impossible);
            }
        }
    };

    private final Scheduler scheduler;
    private final boolean ownClock;

    private RxTime(Scheduler scheduler) {
        this.scheduler = scheduler;
        this.ownClock = HAS_OWN_CLOCK.get(scheduler.getClass());
    }

    /**
     * Returns the time of a scheduler.
     *
     * @param scheduler whose clock is read, if it has one of its own, and on which tasks run
     * @return a time source
     */
    public static TimeSource of(Scheduler scheduler) {
        return new RxTime(Objects.requireNonNull(scheduler, "scheduler"));
    }

    @Override
    public long nanoTime() {
        return ownClock
                ? scheduler.now(TimeUnit.NANOSECONDS)
                : TimeSource.system().nanoTime();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        Objects.requireNonNull(task, "task");
        // Without a delay the schedulers have a way that is shorter, and more of them say at once that they take no
        // tasks.
        return delayNanos <= 0
                ? WatchedTask.submit(task, scheduler::scheduleDirect)
                : WatchedTask.submit(
                        task, accepted -> scheduler.scheduleDirect(accepted, delayNanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public String toString() {
        return "RxTime[" + scheduler + "]";
    }
}
