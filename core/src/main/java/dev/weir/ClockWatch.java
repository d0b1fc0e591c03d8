package dev.weir;

import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Busy-waits on the clock until a time that is so near that a sleep would end late.
 *
 * <p>This occupies a thread and its processor. So only one thread of a JVM does it at a time, and all of them together for at
 * most an eighth of all time; on a single processor none does. A thread that may not do it, or would have to for too long, sleeps
 * again.
 *
 * <p>Only the system clock is watched: any other might not advance by itself.
 */
final class ClockWatch {

    /** Shared by the whole JVM. */
    static final ClockWatch SHARED =
            new ClockWatch(TimeSource.system(), Runtime.getRuntime().availableProcessors());

    /** The longest time to watch for: a longer sleep ends in time. */
    static final long LONGEST_NANOS = 150_000;

    /** After a watch, none begins until this many times its duration have passed since it began. */
    static final int SHARE = 8;

    /** The most that passes between two readings of one clock, unless the thread is held up in between. */
    static final long SAME_NANOS = 10_000;

    private final TimeSource clock;
    private final boolean isAllowed;
    private final AtomicLong next;

    ClockWatch(TimeSource clock, int processors) {
        this.clock = clock;
        this.isAllowed = processors > 1;
        this.next = new AtomicLong(clock.nanoTime());
    }

    /** Returns whether a time that far away is near enough to watch for. */
    static boolean isNear(long nanosLeft) {
        return nanosLeft > 0 && nanosLeft <= LONGEST_NANOS;
    }

    /** Watches until it is time. Returns false if this thread may not watch, or the watch is no longer wanted. Any thread. */
    boolean until(long dueNanos, TimeSource time, BooleanSupplier isWanted) {
        long begin = clock.nanoTime();
        return isAllowed && isClock(time, begin) && takesTurn(begin) && watch(dueNanos, begin, isWanted);
    }

    private static boolean isClock(TimeSource time, long nowNanos) {
        long since = time.nanoTime() - nowNanos;
        return since >= 0 && since <= SAME_NANOS;
    }

    private boolean takesTurn(long nowNanos) {
        long allowed = next.get();
        return nowNanos - allowed >= 0 && next.compareAndSet(allowed, nowNanos + SHARE * LONGEST_NANOS);
    }

    private boolean watch(long dueNanos, long beginNanos, BooleanSupplier isWanted) {
        long now = beginNanos;
        while (isNear(dueNanos - now) && isWanted.getAsBoolean()) {
            now = clock.nanoTime();
        }
        next.set(beginNanos + SHARE * (now - beginNanos));
        return dueNanos - now <= 0;
    }
}
