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
        waiter.older = newest;
        waiter.newer = null;
        waiter.linked = true;
        if (newest == null) {
            oldest = waiter;
        } else {
            newest.newer = waiter;
        }
        newest = waiter;
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
