package dev.weir;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets one thread at a time through, without keeping the others waiting, and never loses a signal: who finds somebody inside
 * leaves a note and goes, and who is inside looks for a note before leaving.
 *
 * <pre>
 *            enter                 enter (by another, who goes)
 *   IDLE ------------> RUNNING ------------------------------> RUNNING_AGAIN
 *     ^                  |  ^                                       |
 *     |      leave       |  |          leave: not yet               |
 *     +------------------+  +---------------------------------------+
 * </pre>
 *
 * <p>Everything that was written before {@code enter} is seen by the pass that this enter, or the note it left, brings
 * about; so what passes read and write needs no other protection.
 */
final class SerialDrain {

    private static final int IDLE = 0;
    private static final int RUNNING = 1;
    private static final int RUNNING_AGAIN = 2;

    private final AtomicInteger state = new AtomicInteger(IDLE);

    /** Tells whether this thread is now inside and has to make a pass; if not, who is inside makes another. */
    boolean enter() {
        while (true) {
            if (state.compareAndSet(IDLE, RUNNING)) {
                return true;
            }
            if (state.get() == RUNNING_AGAIN || state.compareAndSet(RUNNING, RUNNING_AGAIN)) {
                return false;
            }
        }
    }

    /** Tells whether this thread is out; if not, it has to make another pass. */
    boolean leave() {
        if (state.compareAndSet(RUNNING, IDLE)) {
            return true;
        }
        state.set(RUNNING);
        return false;
    }
}
