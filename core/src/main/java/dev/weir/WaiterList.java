package dev.weir;

import org.jspecify.annotations.Nullable;

/** Waiters from the oldest to the newest, linked through themselves: no memory of its own, removal in constant time. */
final class WaiterList {

    private @Nullable Waiter oldest;
    private @Nullable Waiter newest;

    @Nullable
    Waiter oldest() {
        return oldest;
    }

    @Nullable
    Waiter newest() {
        return newest;
    }

    boolean isEmpty() {
        return oldest == null;
    }

    void add(Waiter waiter) {
        add(waiter, null);
    }

    /** Adds one right before another, or, without one, as the newest. */
    void add(Waiter waiter, @Nullable Waiter newer) {
        Waiter older = newer == null ? newest : newer.older;
        waiter.older = older;
        waiter.newer = newer;
        waiter.linked = true;
        if (older == null) {
            oldest = waiter;
        } else {
            older.newer = waiter;
        }
        if (newer == null) {
            newest = waiter;
        } else {
            newer.older = waiter;
        }
    }

    void remove(Waiter waiter) {
        Waiter older = waiter.older;
        Waiter newer = waiter.newer;
        if (older == null) {
            oldest = newer;
        } else {
            older.newer = newer;
        }
        if (newer == null) {
            newest = older;
        } else {
            newer.older = older;
        }
        waiter.older = null;
        waiter.newer = null;
        waiter.linked = false;
    }
}
