package dev.weir;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Something that can be retired while nobody uses it, and never while somebody does, without a lock and without counting its
 * users.
 *
 * <pre>
 *                 retire                    retire: unused
 *   IN USE (even) --------> ON TRIAL (odd) ----------------> RETIRED
 *     |   ^                   |       |
 *     |   |  keep, or retire: |       | pin
 *     |   |  used             |       v
 *     |   +-------------------+     PINNED
 *     |            pin                ^
 *     +-------------------------------+
 * </pre>
 */
abstract class Retirable {

    /*
     * Who uses it leaves a mark that the use can be seen by, and then calls keep; who retires it sets it on trial, and then
     * looks for marks. Both steps of both are volatile, so at least one of the two sees the other. If the user sees the trial,
     * it ends it; the retirer, whose last step is a compare-and-set from just this trial, then fails. If the trial was over
     * before the user looked, the user knows that it has left its mark on something dead, where it counts for nothing, and
     * begins anew with the successor. Trials are numbered, so that a retirer that was held up cannot take a later trial for
     * its own.
     *
     * Nobody waits for anybody. In use, all that a user pays is one volatile read.
     */

    private static final int RETIRED = -1;
    private static final int PINNED = -2;
    private static final VarHandle LIFE;

    static {
        try {
            LIFE = MethodHandles.lookup().findVarHandle(Retirable.class, "life", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int life;

    /** Tells whether no use has left a mark. */
    abstract boolean isUnused();

    /** To be called after a use has left its mark. Tells whether the mark counts; if not, this is retired for ever. */
    final boolean keep() {
        return (life & 1) == 0 || keepDespiteTrial();
    }

    private boolean keepDespiteTrial() {
        for (int seen = life; isOnTrial(seen); seen = life) {
            if (LIFE.compareAndSet(this, seen, next(seen))) {
                return true;
            }
        }
        return life != RETIRED;
    }

    /** For a use without an end: from now on this will not be retired, unless it has been. */
    final void pin() {
        int seen;
        do {
            seen = life;
        } while (seen >= 0 && !LIFE.compareAndSet(this, seen, PINNED));
    }

    /** Retires this if it is unused. Tells whether this call did it: one only does. */
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

    private static boolean isOnTrial(int life) {
        return life > 0 && (life & 1) == 1;
    }

    private static int next(int life) {
        return (life + 1) & Integer.MAX_VALUE;
    }
}
