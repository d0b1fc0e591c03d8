package dev.weir.testkit;

import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A time source whose clock stands still until a test advances it, which also runs the tasks that fall due.
 *
 * <pre>{@code
 * VirtualTimeSource time = new VirtualTimeSource();
 * RateLimiter limiter = RateLimiter.builder(Limit.of(1, ofSeconds(1))).timeSource(time).build();
 * limiter.tryAcquire();
 * CompletableFuture<Lease> second = limiter.acquire();    // waits
 * time.advanceBy(ofSeconds(1));
 * boolean granted = second.join().isAcquired();           // true, at once
 * }</pre>
 *
 * <p>Tasks run inside {@link #advanceBy}, on the thread that calls it, in the order of their due times; tasks due at the same time
 * run in the order in which they were scheduled. While a task runs, {@link #nanoTime()} returns the instant at which it is due.
 * Tasks that a task schedules run too, if they fall due within the same advance. A task without delay waits for the next advance,
 * which may be one by {@link Duration#ZERO}.
 *
 * <p>Thread-safe and reentrant: tasks run without any lock held and may schedule, cancel and advance. An advance that is called by
 * a task moves the clock forward at once; the outer one then continues from there and never turns it back. If several threads
 * advance at the same time, each moves the clock at least by its duration from the time at which it was called, every task runs
 * once, and a task may find the clock later than its due instant. So may one that a thread schedules while another advances; when
 * both have returned, either it has run or it is not due yet.
 */
public final class VirtualTimeSource implements TimeSource {

    private static final Comparator<Task> IN_ORDER =
            Comparator.<Task>comparingLong(task -> task.due).thenComparingLong(task -> task.number);

    private final long originNanos;
    private final int mostTasksAtOnce;
    /** Nanoseconds since the origin. Unlike {@link #nanoTime()} they never wrap, and so order the tasks. */
    private final AtomicLong elapsed = new AtomicLong();

    private final AtomicLong scheduled = new AtomicLong();
    private final ConcurrentSkipListSet<Task> pending = new ConcurrentSkipListSet<>(IN_ORDER);

    /** Creates a clock that stands at zero. */
    public VirtualTimeSource() {
        this(0);
    }

    /**
     * Creates a clock that stands at the given time.
     *
     * @param originNanos the first {@link #nanoTime()}, any value; the clock wraps as {@code long} does
     */
    public VirtualTimeSource(long originNanos) {
        this(originNanos, Integer.MAX_VALUE);
    }

    /** Creates a clock on which an advance fails if it runs more tasks than this in a row at one instant. */
    VirtualTimeSource(long originNanos, int mostTasksAtOnce) {
        this.originNanos = originNanos;
        this.mostTasksAtOnce = mostTasksAtOnce;
    }

    @Override
    public long nanoTime() {
        return originNanos + elapsed.get();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        Objects.requireNonNull(task, "task");
        while (true) {
            long now = elapsed.get();
            Task added = add(task, now, Math.max(0, delayNanos));
            boolean isOfThePast = elapsed.get() != now && pending.remove(added);
            if (!isOfThePast) {
                return () -> pending.remove(added);
            }
        }
    }

    private Task add(Runnable task, long now, long delayNanos) {
        long due = now + delayNanos;
        Task added = new Task(task, due < 0 ? Long.MAX_VALUE : due, scheduled.getAndIncrement());
        pending.add(added);
        return added;
    }

    /**
     * Moves the clock forward and runs the tasks that fall due, including those due exactly at the end.
     *
     * @param duration by how much
     * @throws IllegalArgumentException if negative
     * @throws ArithmeticException if the clock would be more than 2^63 - 1 nanoseconds from its origin
     * @throws RuntimeException if a task throws it; the clock then stands where that task was due, and tasks due later
     *     are still pending
     */
    public void advanceBy(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration must not be negative, but is " + duration);
        }
        long target = Math.addExact(elapsed.get(), duration.toNanos());
        runAllDueBy(target);
        advanceTo(target);
        runAllDueBy(target); // those that another thread scheduled just before the clock moved there
    }

    private void runAllDueBy(long target) {
        long atOnce = 0;
        for (Task next = firstDueBy(target); next != null; next = firstDueBy(target)) {
            atOnce = next.due > elapsed.get() ? 1 : atOnce + 1;
            if (atOnce > mostTasksAtOnce) {
                throw new AssertionError(
                        "a timer is set again and again with no delay: " + atOnce + " tasks at " + elapsed());
            }
            advanceTo(next.due);
            next.body.run();
        }
    }

    /** Removes and returns the first task due by then, so that no other thread runs it and cancelling it has no effect any more. */
    private @Nullable Task firstDueBy(long target) {
        while (true) {
            var tasks = pending.iterator();
            Task first = tasks.hasNext() ? tasks.next() : null;
            if (first == null || first.due > target) {
                return null;
            }
            if (pending.remove(first)) {
                return first;
            }
        }
    }

    private void advanceTo(long instant) {
        elapsed.accumulateAndGet(instant, Math::max);
    }

    /**
     * Returns how far the clock has been advanced.
     *
     * @return the time since the origin
     */
    public Duration elapsed() {
        return Duration.ofNanos(elapsed.get());
    }

    /**
     * Returns how many tasks are pending.
     *
     * @return the number of tasks that have been scheduled and have neither begun nor been cancelled
     */
    public int pendingTasks() {
        return pending.size();
    }

    private static final class Task {

        final Runnable body;
        final long due;
        final long number;

        Task(Runnable body, long due, long number) {
            this.body = body;
            this.due = due;
            this.number = number;
        }
    }
}
