package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for permits, in order, and the room they take, which is counted in permits. Used inside the drain
 * only.
 */
final class WaitQueue {

    private final WaiterList waiters = new WaiterList();
    private final boolean isNewestFirst;
    private final int limit;

    private long permits;

    WaitQueue(boolean isNewestFirst, int limit) {
        this.isNewestFirst = isNewestFirst;
        this.limit = limit;
    }

    /** Returns who goes next. */
    @Nullable
    Waiter head() {
        return isNewestFirst ? waiters.newest() : waiters.oldest();
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    /** Returns how many permits the waiting requests ask for that would go before a newcomer. */
    long permitsAheadOfNewcomer() {
        return isNewestFirst ? 0 : permits;
    }

    boolean hasRoomFor(Waiter newcomer) {
        return permits + newcomer.permits <= limit;
    }

    /** Tells whether room can be made by evicting others: only for newest first, and not for more than all the room. */
    boolean mayEvictFor(Waiter newcomer) {
        return isNewestFirst && newcomer.permits <= limit;
    }

    @Nullable
    Waiter oldest() {
        return waiters.oldest();
    }

    /** What comes here from another member of a chain goes before those that were asked for after it. */
    void add(Waiter waiter) {
        Place place = isNewestFirst ? null : waiter.place();
        waiters.add(waiter, place == null || !place.keepsItsAge() ? null : firstAfter(place.asked));
        permits += waiter.permits;
    }

    private @Nullable Waiter firstAfter(Asked asked) {
        Waiter newest = waiters.newest();
        if (newest == null || !asked.isBefore(newest)) {
            return null;
        }
        Waiter waiter = waiters.oldest();
        while (waiter != null && !asked.isBefore(waiter)) {
            waiter = waiter.newer;
        }
        return waiter;
    }

    void remove(Waiter waiter) {
        waiters.remove(waiter);
        permits -= waiter.permits;
    }
}
