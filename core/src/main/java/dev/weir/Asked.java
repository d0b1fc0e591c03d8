package dev.weir;

import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What somebody has asked a {@link Chain} for, which keeps its age wherever in the chain it waits.
 *
 * @param permits how many
 * @param sinceNanos when
 * @param clock by which
 * @param number its place among those of the same time
 */
record Asked(int permits, long sinceNanos, TimeSource clock, long number) {

    private static final AtomicLong NUMBERS = new AtomicLong();

    /** What a chain asked of a chain that is its member is as old as what that one was asked for. */
    static Asked by(Waiter waiter, TimeSource clock) {
        Place outer = waiter.place();
        if (outer != null && outer.asked.clock == clock) {
            return outer.asked;
        }
        return new Asked(waiter.permits, waiter.sinceNanos, clock, NUMBERS.incrementAndGet());
    }

    /** Tells whether this was asked before a request that waits at a limiter with the same clock, or is what that asks for. */
    boolean isBefore(Waiter waiter) {
        Place other = waiter.place();
        Asked asked = other == null || other.asked.clock != clock ? null : other.asked;
        long later = (asked == null ? waiter.sinceNanos : asked.sinceNanos) - sinceNanos;
        return later > 0 || (later == 0 && asked != null && asked.number >= number);
    }
}
