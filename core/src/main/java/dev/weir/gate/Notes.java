package dev.weir.gate;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets one thread at a time do what there is to do, and makes it go on while others post notes that there is more. A note says
 * nothing but that: what to do, whoever posts it has put where the worker looks.
 */
final class Notes {

    /** From so many on, a pass had better end before they are too many to count. */
    private static final int MANY = 1 << 30;

    private final AtomicInteger posted = new AtomicInteger();

    /** How many the pass under way deals with. The worker's. */
    private int known;

    /** Begins to work if nobody else does. */
    boolean beginIfIdle() {
        if (posted.get() != 0 || !posted.compareAndSet(0, 1)) {
            return false;
        }
        known = 1;
        return true;
    }

    /** Posts a note. Tells whether it is for the caller to begin to work, as nobody else does. */
    boolean post() {
        if (posted.getAndIncrement() != 0) {
            return false;
        }
        known = 1;
        return true;
    }

    /** Ends a pass. Tells whether it was the last; if not, the worker makes another. */
    boolean endPass() {
        int more = posted.addAndGet(-known);
        if (more == 0) {
            return true; // somebody else may be at work by now
        }
        known = more;
        return false;
    }

    /** Whether none has been posted since the pass began. */
    boolean areKnown() {
        return posted.get() == known;
    }

    boolean areMany() {
        return posted.get() >= MANY;
    }
}
