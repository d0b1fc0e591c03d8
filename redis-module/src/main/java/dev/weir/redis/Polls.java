package dev.weir.redis;

import java.util.concurrent.atomic.AtomicLong;

/**
 * When limits with waiting requests ask a server again for leases that end on other nodes, as nobody tells them. A limit that is alone
 * asks as soon as it likes. Very many limits take turns, so that the node can ask its other questions, too: each waits until those
 * before it have asked, but no longer than {@link #LONGEST_NANOS}.
 *
 * <p>A virtual queue, as in the generic cell rate algorithm: each time that is booked makes it longer by what one question may take,
 * and a limit asks no sooner than the queue, as it is then, would be empty. A limit books no second time before its first has come,
 * so the queue is at most as long as all limits take that wait, or have waited just before.
 */
final class Polls {

    /** What one question may take: two thousand in a second. */
    static final long ONE_NANOS = 500_000;

    /** The longest queue, and so the longest wait for a turn: with more than ten thousand limits, more ask in a second. */
    static final long LONGEST_NANOS = 5_000_000_000L;

    private static final long NEVER = Long.MIN_VALUE;

    /** When the queue will be empty. */
    private final AtomicLong emptyNanos = new AtomicLong(NEVER);

    /** Books the time of a limit that would like to ask after that time. Returns after how long it does. */
    long book(long nanos, long nowNanos) {
        long empty = emptyNanos.updateAndGet(before -> nowNanos + longer(before, nowNanos));
        return Math.max(nanos, empty - nowNanos);
    }

    private static long longer(long emptyNanos, long nowNanos) {
        long length = emptyNanos == NEVER ? 0 : Math.max(0, emptyNanos - nowNanos);
        return Math.min(LONGEST_NANOS, length + ONE_NANOS);
    }
}
