package dev.weir.redis;

import java.util.concurrent.atomic.AtomicLong;

/**
 * When limits with waiting requests ask a server again for leases that end on other nodes, of which nobody tells them. One limit asks as
 * soon as it likes. Of very many no more ask in a second than a node can ask beside its other questions; so each waits until those
 * before it have had their turn, unless that takes too long.
 *
 * <p>A virtual queue, as in the generic cell rate algorithm: each time that is booked makes it longer by what one question may take,
 * and a limit asks no sooner than the queue, as it is then, would be empty. A limit books no second time before its first has come,
 * so the queue is at most as long as all limits take that wait, or have waited just before.
 */
final class Polls {

    /** What one question may take: two thousand in a second. */
    static final long ONE_NANOS = 500_000;

    /** The longest queue: nobody waits longer for a turn, though of more than ten thousand limits more ask in a second then. */
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
