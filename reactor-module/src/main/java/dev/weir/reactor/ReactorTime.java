package dev.weir.reactor;

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
 * The time of a Reactor scheduler, virtual ones included: a limiter made with it waits on that scheduler, and its permits are
 * granted on the scheduler's threads.
 *
 * <p>Real schedulers read {@link System#nanoTime()} for it. Under virtual time the scheduler must be taken where virtual time
 * is already on, that is, inside the supplier of {@code StepVerifier.withVirtualTime}.
 */
public final class ReactorTime implements TimeSource {

    private static final Duration PROBE = Duration.ofDays(1);

    /** Virtual schedulers add the delay to their time, with no care for overflow: half of all time, so 146 years. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

    private final Scheduler scheduler;

    private ReactorTime(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /**
     * Adapts a scheduler.
     *
     * @param scheduler which can run tasks after a delay
     * @return its time
     * @throws IllegalArgumentException if the scheduler takes no task with a delay: never, like {@code Schedulers.immediate()},
     *     or not now, as it is full
     */
    public static ReactorTime of(Scheduler scheduler) {
        Objects.requireNonNull(scheduler, "scheduler");
        if (!scheduler.isDisposed()) {
            try {
                scheduler
                        .schedule(() -> {}, PROBE.toNanos(), TimeUnit.NANOSECONDS)
                        .dispose();
            } catch (RejectedExecutionException rejection) {
                throw new IllegalArgumentException(
                        "The scheduler takes no task with a delay: " + scheduler + ": " + rejection.getMessage(),
                        rejection);
            }
        }
        return new ReactorTime(scheduler);
    }

    /** As {@link #of} for a scheduler that is known to be able to delay. */
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
        alarm.timer = scheduler.schedule(alarm, Math.max(0, Math.min(delayNanos, LONGEST_NANOS)), TimeUnit.NANOSECONDS);
        return alarm;
    }

    @Override
    public String toString() {
        return "ReactorTime[" + scheduler + "]";
    }

    /** Disposing a task that is running would interrupt it; so what has begun is left alone. */
    private static final class Alarm implements Runnable, Cancellable {

        private final Runnable task;
        private final AtomicBoolean settled = new AtomicBoolean();
        private volatile Disposable timer = Disposables.disposed();

        private Alarm(Runnable task) {
            this.task = task;
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
