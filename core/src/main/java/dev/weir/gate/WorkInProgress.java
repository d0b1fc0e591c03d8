package dev.weir.gate;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The work-in-progress counter of a drain: lets one thread at a time do the work, and makes it continue while other threads post
 * notes that there is more. A note carries no data: the posting thread has put the work where the worker looks for it.
 *
 * <p>Counts, unlike {@code SerialDrain}: a pass must know whether anything was signalled since it began ({@link #isAllKnown}).
 */
final class WorkInProgress {

    /** From this number on, a pass should end, before the counter overflows. */
    private static final int MANY = 1 << 30;

    private final AtomicInteger posted = new AtomicInteger();

    /** The number of notes that the current pass handles. Used by the worker only. */
    private int known;

    /** Begins a pass if no other thread is working. Returns whether it did. */
    boolean beginIfIdle() {
        if (posted.get() != 0 || !posted.compareAndSet(0, 1)) {
            return false;
        }
        known = 1;
        return true;
    }

    /** Posts a note. Returns whether the caller must begin to work, because no other thread does. */
    boolean post() {
        if (posted.getAndIncrement() != 0) {
            return false;
        }
        known = 1;
        return true;
    }

    /** Ends a pass. Returns whether it was the last; if not, the worker makes another. */
    boolean endPass() {
        int more = posted.addAndGet(-known);
        if (more == 0) {
            return true; // another thread may be working by now
        }
        known = more;
        return false;
    }

    /** Whether no note has been posted since the pass began. */
    boolean isAllKnown() {
        return posted.get() == known;
    }

    boolean isNearOverflow() {
        return posted.get() >= MANY;
    }
}
