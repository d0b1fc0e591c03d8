package dev.weir;

import org.jspecify.annotations.Nullable;

/** A list of waiters, oldest to newest, linked through themselves: allocates nothing, removal in constant time. */
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

    /** Adds a waiter right before another, or as the newest if that is null. */
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
