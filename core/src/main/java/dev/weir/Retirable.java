package dev.weir;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An object that can be retired while it is unused, and never while it is in use, without a lock and without counting its users.
 *
 * <pre>
 *                 retire                    retire: unused
 *   IN USE (even) --------> ON TRIAL (odd) ----------------> RETIRED
 *     |   ^                   |       |
 *     |   |  confirmUse, or   |       | pin
 *     |   |  retire: used     |       v
 *     |   +-------------------+     PINNED
 *     |            pin                ^
 *     +-------------------------------+
 * </pre>
 */
abstract class Retirable {

    /*
     * A user first leaves a mark that shows the use, and then calls confirmUse; a retirer first sets the object on trial, and then
     * looks for marks. Both steps of both are volatile, so at least one of the two sees the other. If the user sees the trial, it
     * ends it, and the retirer, whose last step is a compare-and-set from exactly this trial, fails. If the trial was over before
     * the user looked, the user knows that it has left its mark on a retired object, where it counts for nothing, and starts over
     * with the successor. Trials are numbered, so that a delayed retirer cannot mistake a later trial for its own.
     *
     * No thread waits for another. In normal use a user pays one volatile read.
     */

    /** Odd, as a trial is: so users find by one bit that there is something to look at. */
    private static final int RETIRED = -1;

    /** Even, as in use: so to users nothing is the matter. */
    private static final int PINNED = -2;

    private static final VarHandle LIFE =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Retirable.class, "life", int.class));

    private volatile int life;

    /** Returns whether no use has left a mark. */
    abstract boolean isUnused();

    /** Called after a use has left its mark. Returns whether the mark counts; if not, this is retired for ever. */
    final boolean confirmUse() {
        return (life & 1) == 0 || confirmDespiteTrial();
    }

    private boolean confirmDespiteTrial() {
        for (int seen = life; isOnTrial(seen); seen = life) {
            if (LIFE.compareAndSet(this, seen, next(seen))) {
                return true;
            }
        }
        return life != RETIRED;
    }

    /** For a permanent use: from now on this is never retired, unless it has been already. */
    final void pin() {
        int seen;
        do {
            seen = life;
        } while (seen >= 0 && !LIFE.compareAndSet(this, seen, PINNED));
    }

    /** Retires this if it is unused. Returns whether this call did; only one call does. */
    final boolean retire() {
        int inUse = life;
        int onTrial = next(inUse);
        if (inUse < 0 || isOnTrial(inUse) || !LIFE.compareAndSet(this, inUse, onTrial)) {
            return false;
        }
        boolean unused = false;
        try {
            unused = isUnused();
        } finally {
            if (!unused) {
                LIFE.compareAndSet(this, onTrial, next(onTrial));
            }
        }
        return unused && LIFE.compareAndSet(this, onTrial, RETIRED);
    }

    final boolean isRetired() {
        return life == RETIRED;
    }

    /** Returns whether this may yet be retired: it neither has been, nor is in permanent use. */
    final boolean mayBeRetired() {
        return life >= 0;
    }

    private static boolean isOnTrial(int life) {
        return life > 0 && (life & 1) == 1;
    }

    private static int next(int life) {
        return (life + 1) & Integer.MAX_VALUE;
    }
}
