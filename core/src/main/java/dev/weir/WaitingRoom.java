package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * All waiting requests: the queue for permits, the probes, and those of both that have a maximum wait. Used inside the drain
 * only.
 */
final class WaitingRoom {

    final WaitQueue queue;

    /** Requests for zero permits. They hold up no other request, and none holds them up. */
    private final WaiterList probes = new WaiterList();

    private final Deadlines deadlines = new Deadlines();

    /** How many requests wait for the answer of a store only. */
    private int forStoreOnly;

    /** How many requests of the queue have a maximum wait that is still to be judged. */
    private int toBeJudged;

    WaitingRoom(WaitQueue queue) {
        this.queue = queue;
    }

    void add(Waiter waiter) {
        if (waiter.permits == 0) {
            probes.add(waiter);
        } else {
            queue.add(waiter);
        }
        if (waiter.hasMaxWait()) {
            deadlines.add(waiter);
        }
        forStoreOnly += waiter.awaitsStoreOnly ? 1 : 0;
        toBeJudged += waiter.isToBeJudged ? 1 : 0;
    }

    /** Removes a waiter if it is linked here. */
    void remove(Waiter waiter) {
        if (!waiter.linked) {
            return;
        }
        if (waiter.permits == 0) {
            probes.remove(waiter);
        } else {
            queue.remove(waiter);
        }
        if (waiter.hasMaxWait()) {
            deadlines.settled();
        }
        forStoreOnly -= waiter.awaitsStoreOnly ? 1 : 0;
        judged(waiter);
    }

    /** Takes note that the maximum wait of a waiter, if it has one, is not to be judged any more. */
    void judged(Waiter waiter) {
        toBeJudged -= waiter.isToBeJudged ? 1 : 0;
        waiter.isToBeJudged = false;
    }

    /** Returns the first in the queue, from its oldest end, of those to be judged. Searches from where they come in. */
    @Nullable
    Waiter oldestToBeJudged() {
        Waiter found = null;
        Waiter waiter = queue.newest();
        for (int left = toBeJudged; left > 0 && waiter != null; waiter = waiter.older) {
            if (waiter.isToBeJudged) {
                found = waiter;
                left--;
            }
        }
        return found;
    }

    boolean hasAnyForStoreOnly() {
        return forStoreOnly > 0;
    }

    boolean hasAnyToBeJudged() {
        return toBeJudged > 0;
    }

    @Nullable
    Waiter anyone() {
        Waiter waiter = queue.oldest();
        return waiter == null ? probes.oldest() : waiter;
    }

    @Nullable
    Waiter firstProbe() {
        return probes.oldest();
    }

    @Nullable
    Waiter firstToRunOutOfTime() {
        return deadlines.first();
    }
}
