package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * All who wait: in the queue for permits, for anything to be available, and those of both who may not wait for ever. Used
 * inside the drain only.
 */
final class WaitingRoom {

    final WaitQueue queue;

    /** Who asked for zero permits. They stand in nobody's way, and nobody in theirs. */
    private final WaiterList probes = new WaiterList();

    private final Deadlines deadlines = new Deadlines();

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
    }

    /** Removes a waiter if it is here. */
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
    }

    boolean isEmpty() {
        return queue.isEmpty() && probes.isEmpty();
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
