package dev.weir.gate;

import org.jspecify.annotations.Nullable;

/**
 * The open requests of a stream: those made, and neither served nor withdrawn. Changed only inside the drain; but any thread may
 * withdraw them all, as one does that cancels while the drain is busy downstream.
 */
final class OpenRequests<T> {

    /*
     * A chain from the newest to the oldest. A thread that walks along it while others are taken out misses none that remains: one
     * that was taken out still leads to the next older one, which is in the chain or leads on in turn. One that is put in meanwhile
     * is missed; so whoever puts it in looks afterwards whether the stream has been cancelled, as cancelling marks the stream
     * before it walks.
     */

    private volatile @Nullable LaneRequest<T> newest;
    private int size;

    void add(LaneRequest<T> request) {
        LaneRequest<T> next = newest;
        request.older = next;
        if (next != null) {
            next.newer = request;
        }
        newest = request;
        size++;
    }

    /** Takes out a request that is in the chain. */
    void remove(LaneRequest<T> request) {
        LaneRequest<T> newer = request.newer;
        LaneRequest<T> older = request.older;
        if (newer == null) {
            newest = older;
        } else {
            newer.older = older;
        }
        if (older != null) {
            older.newer = newer;
        }
        request.newer = null; // or it would retain all that came later
        size--;
    }

    @Nullable
    LaneRequest<T> newest() {
        return newest;
    }

    int size() {
        return size;
    }

    /** Withdraws all requests, and leaves them here for the drain to find. Any thread. */
    void withdrawAll() {
        for (LaneRequest<T> request = newest; request != null; request = request.older) {
            request.withdraw();
        }
    }
}
