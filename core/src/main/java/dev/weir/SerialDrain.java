package dev.weir;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets one thread at a time through, without blocking the others and without losing a signal: a thread that finds another inside
 * leaves a note and returns, and the one inside checks for a note before it leaves.
 *
 * <pre>
 *            enter                 enter (by another, who goes)
 *   IDLE ------------> RUNNING ------------------------------> RUNNING_AGAIN
 *     ^                  |  ^                                       |
 *     |      leave       |  |          leave: not yet               |
 *     +------------------+  +---------------------------------------+
 * </pre>
 *
 * <p>A thread that others keep inside for too long may leave although there is a note ({@code leaveAnyway}, from either of the
 * running states to IDLE), and then sees to it that a thread enters again. Where no call is safe any more, it writes {@code state}.
 *
 * <p>What one pass has written the next one sees, so what only passes read and write needs no other synchronization. What others
 * write for a pass to see they write by a volatile write or a compare-and-set, and then call {@code enter}: one that finds a note
 * there only reads, which makes its plain writes visible to nobody.
 */
final class SerialDrain {

    static final int IDLE = 0;
    private static final int RUNNING = 1;
    private static final int RUNNING_AGAIN = 2;

    private static final VarHandle STATE =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(SerialDrain.class, "state", int.class));

    volatile int state = IDLE;

    /** Returns whether this thread is inside and has to make a pass; if not, the thread inside makes another. */
    boolean enter() {
        while (true) {
            if (STATE.compareAndSet(this, IDLE, RUNNING)) {
                return true;
            }
            if (state == RUNNING_AGAIN || STATE.compareAndSet(this, RUNNING, RUNNING_AGAIN)) {
                return false;
            }
        }
    }

    /** Returns whether no thread is inside. */
    boolean isIdle() {
        return state == IDLE;
    }

    /** Returns whether this thread has left; if not, it has to make another pass. */
    boolean leave() {
        if (STATE.compareAndSet(this, RUNNING, IDLE)) {
            return true;
        }
        state = RUNNING;
        return false;
    }

    /** Leaves, whether or not another pass is due: somebody has to enter for it afterwards. */
    void leaveAnyway() {
        state = IDLE;
    }
}
