package dev.weir.gate;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets one thread at a time do what there is to do, and makes it go on while others leave notes that there is more. A note says
 * nothing but that: what to do, whoever leaves it has put where the worker looks.
 */
final class Notes {

    /** From so many on, a pass had better end before they are too many to count. */
    private static final int MANY = 1 << 30;

    private final AtomicInteger left = new AtomicInteger();

    /** How many the pass under way deals with. The worker's. */
    private int known;

    /** Begins to work if nobody else does. */
    boolean beginIfIdle() {
        if (left.get() != 0 || !left.compareAndSet(0, 1)) {
            return false;
        }
        known = 1;
        return true;
    }

    /** Leaves a note. Tells whether it is for the caller to begin to work, as nobody else does. */
    boolean leave() {
        if (left.getAndIncrement() != 0) {
            return false;
        }
        known = 1;
        return true;
    }

    /** Ends a pass. Tells whether the worker is done; if not, it makes another. */
    boolean areDone() {
        int more = left.addAndGet(-known);
        if (more == 0) {
            return true; // somebody else may be at work by now
        }
        known = more;
        return false;
    }

    /** Whether none has been left since the pass began. */
    boolean areKnown() {
        return left.get() == known;
    }

    boolean areMany() {
        return left.get() >= MANY;
    }
}
