package dev.weir.reactor;

import dev.weir.gate.Rejection;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Scheduler;

/**
 * The time source of a Reactor scheduler, virtual-time schedulers included: a limiter made with it waits on that scheduler, and
 * its permits are granted on the scheduler's threads.
 *
 * <p>For real schedulers the clock is {@link System#nanoTime()}. Under virtual time the scheduler must be obtained where virtual
 * time is already enabled, that is, inside the supplier of {@code StepVerifier.withVirtualTime}.
 *
 * <p>If the scheduler does not accept a task, whatever it throws then, {@link TimeSource#schedule} throws
 * {@link RejectedExecutionException}.
 */
public final class ReactorTime implements TimeSource {

    private static final Duration PROBE = Duration.ofDays(1);

    /** Virtual schedulers add the delay to their time without an overflow check, so delays are limited to 146 years. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

    private final Scheduler scheduler;

    private ReactorTime(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /**
     * Adapts a scheduler.
     *
     * @param scheduler a scheduler that can run tasks after a delay
     * @return the time source of the scheduler
     * @throws IllegalArgumentException if the scheduler rejects a task with a delay: always, like {@code Schedulers.immediate()},
     *     or now, because it is full or disposed
     */
    public static ReactorTime of(Scheduler scheduler) {
        Objects.requireNonNull(scheduler, "scheduler");
        try {
            scheduler.schedule(() -> {}, PROBE.toNanos(), TimeUnit.NANOSECONDS).dispose();
        } catch (RejectedExecutionException rejection) {
            throw new IllegalArgumentException(
                    "The scheduler takes no task with a delay: " + scheduler + ": " + rejection.getMessage(),
                    rejection);
        }
        return new ReactorTime(scheduler);
    }

    /** Like {@link #of}, for a scheduler that is known to support delays. */
    static ReactorTime ofTimed(Scheduler scheduler) {
        return new ReactorTime(scheduler);
    }

    @Override
    public long nanoTime() {
        return scheduler.now(TimeUnit.NANOSECONDS);
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        Alarm alarm = new Alarm(Objects.requireNonNull(task, "task"));
        long delay = Math.max(0, Math.min(delayNanos, LONGEST_NANOS));
        try {
            ThreadLocals.cleared(() -> alarm.timer = scheduler.schedule(alarm, delay, TimeUnit.NANOSECONDS));
        } catch (Throwable failure) {
            if (alarm.isPending()) {
                throw Rejection.of(failure);
            }
            throw failure;
        }
        return alarm;
    }

    @Override
    public String toString() {
        return "ReactorTime[" + scheduler + "]";
    }

    /** A scheduled task. A task that is running is not disposed, as that would interrupt it. */
    private static final class Alarm implements Runnable, Cancellable {

        private final Runnable task;
        private final AtomicBoolean settled = new AtomicBoolean();
        private volatile Disposable timer = Disposables.disposed();

        private Alarm(Runnable task) {
            this.task = task;
        }

        private boolean isPending() {
            return !settled.get();
        }

        @Override
        public void run() {
            if (settled.compareAndSet(false, true)) {
                task.run();
            }
        }

        @Override
        public void cancel() {
            if (settled.compareAndSet(false, true)) {
                timer.dispose();
            }
        }
    }
}
