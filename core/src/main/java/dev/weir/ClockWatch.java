package dev.weir;

import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Looks at the clock until it is time, where that is so near that a sleep would be late.
 *
 * <p>That keeps a thread and its processor from others. So one thread of a JVM does it at a time, and all of them for an eighth of
 * all time at most; where there is one processor only, nobody does. Who may not, or would have to for long, goes to sleep again.
 *
 * <p>Only the clock of this machine is looked at: of any other it is not known that it goes on by itself.
 */
final class ClockWatch {

    /** Of this JVM. */
    static final ClockWatch SHARED =
            new ClockWatch(TimeSource.system(), Runtime.getRuntime().availableProcessors());

    /** A sleep for longer than that would be over in time. */
    static final long LONGEST_NANOS = 150_000;

    /** After somebody has watched for some time, nobody does until so many times that have passed since it began. */
    static final int SHARE = 8;

    /** What lies between two readings of one clock at the most, but for a thread that is held up just then. */
    static final long SAME_NANOS = 10_000;

    private final TimeSource clock;
    private final boolean isAllowed;
    private final AtomicLong next;

    ClockWatch(TimeSource clock, int processors) {
        this.clock = clock;
        this.isAllowed = processors > 1;
        this.next = new AtomicLong(clock.nanoTime());
    }

    /** Tells whether a time so far off is worth watching for. */
    static boolean isNear(long nanosLeft) {
        return nanosLeft > 0 && nanosLeft <= LONGEST_NANOS;
    }

    /** Tells whether it is time now: false if this may not be watched for, or is wanted no more. Any thread. */
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
