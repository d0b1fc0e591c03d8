package dev.weir.rxjava;

import dev.weir.time.TimeSource;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The time source of an RxJava scheduler, virtual-time schedulers included: a limiter made with it waits on that scheduler, and
 * its permits are granted on the scheduler's threads.
 *
 * <p>A scheduler that overrides {@link Scheduler#now}, as {@link io.reactivex.rxjava3.schedulers.TestScheduler} does, has a clock
 * of its own, which is read in nanoseconds. All others would return the wall clock in milliseconds, which jumps when it is set;
 * for them the clock is {@link System#nanoTime()}.
 *
 * <p>If the scheduler rejects a task, whatever it throws then, {@link TimeSource#schedule} throws
 * {@link RejectedExecutionException}. Tasks that the scheduler loses later, for example when it is shut down with tasks pending,
 * cannot be distinguished from late ones; nor can those that {@link Schedulers#io()} rejects, which only the plugins hear of.
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

    /** {@code TestScheduler} adds the delay to its time without an overflow check, so delays are limited to 146 years. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

    private final Scheduler scheduler;
    private final boolean ownClock;

    private RxTime(Scheduler scheduler) {
        this.scheduler = scheduler;
        this.ownClock = HAS_OWN_CLOCK.get(scheduler.getClass());
    }

    /**
     * Adapts a scheduler.
     *
     * @param scheduler a scheduler that can run tasks after a delay
     * @return the time source of the scheduler
     * @throws IllegalArgumentException for {@link Schedulers#trampoline()}, which sleeps on the thread that asks
     */
    public static RxTime of(Scheduler scheduler) {
        if (Objects.requireNonNull(scheduler, "scheduler") == Schedulers.trampoline()) {
            throw new IllegalArgumentException("The scheduler sleeps on the thread that asks: " + scheduler);
        }
        return new RxTime(scheduler);
    }

    /** Like {@link #of}, for the scheduler of all streams, even if plugins have put the trampoline in its place. */
    static RxTime ofStreams(Scheduler scheduler) {
        return new RxTime(scheduler);
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
        // Without a delay the schedulers have a shorter path, and more of them reject a task at once.
        return delayNanos <= 0
                ? WatchedTask.submit(task, scheduler::scheduleDirect)
                : WatchedTask.submit(
                        task,
                        accepted -> scheduler.scheduleDirect(
                                accepted, Math.min(delayNanos, LONGEST_NANOS), TimeUnit.NANOSECONDS));
    }

    @Override
    public String toString() {
        return "RxTime[" + scheduler + "]";
    }
}
