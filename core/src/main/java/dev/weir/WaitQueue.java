package dev.weir;

import org.jspecify.annotations.Nullable;

/** The queue of requests waiting for permits, and the room they take, counted in permits. Used inside the drain only. */
final class WaitQueue {

    private final WaiterList waiters = new WaiterList();
    private final boolean isNewestFirst;
    private final int limit;

    private long requests;
    private long permits;

    WaitQueue(boolean isNewestFirst, int limit) {
        this.isNewestFirst = isNewestFirst;
        this.limit = limit;
    }

    /** Returns the request to be served next. */
    @Nullable
    Waiter head() {
        return isNewestFirst ? waiters.newest() : waiters.oldest();
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    /** Returns how many permits are asked for by the waiting requests that would be served before a new one. */
    long permitsAheadOfNewcomer() {
        return isNewestFirst ? 0 : permits;
    }

    /** Returns which of them would be served before a certain newcomer, which may have come from another member of its chain. */
    Ahead aheadOf(Waiter newcomer) {
        if (isNewestFirst) {
            return Ahead.NOTHING;
        }
        Waiter younger = firstYoungerThan(newcomer);
        if (younger == null) {
            return new Ahead(requests, permits);
        }
        long requestsAhead = 0;
        long permitsAhead = 0;
        for (Waiter waiter = younger.older; waiter != null; waiter = waiter.older) {
            requestsAhead++;
            permitsAhead += waiter.permits;
        }
        return new Ahead(requestsAhead, permitsAhead);
    }

    boolean hasRoomFor(Waiter newcomer) {
        return permits + newcomer.permits <= limit;
    }

    /**
     * Returns whether room can be made by evicting others: only if the newest goes first, and not for more than the whole room.
     */
    boolean mayEvictFor(Waiter newcomer) {
        return isNewestFirst && newcomer.permits <= limit;
    }

    @Nullable
    Waiter oldest() {
        return waiters.oldest();
    }

    void add(Waiter waiter) {
        waiters.add(waiter, isNewestFirst ? null : firstYoungerThan(waiter));
        requests++;
        permits += waiter.permits;
    }

    /** A chain's request that comes from another member goes before requests younger than itself; any other before none. */
    private @Nullable Waiter firstYoungerThan(Waiter newcomer) {
        MemberRequest memberRequest = newcomer.memberRequest();
        return memberRequest == null || !memberRequest.keepsItsAge() ? null : firstAfter(memberRequest.chainRequest);
    }

    private @Nullable Waiter firstAfter(ChainRequest chainRequest) {
        Waiter newest = waiters.newest();
        if (newest == null || !chainRequest.isBefore(newest)) {
            return null;
        }
        Waiter waiter = waiters.oldest();
        while (waiter != null && !chainRequest.isBefore(waiter)) {
            waiter = waiter.newer;
        }
        return waiter;
    }

    void remove(Waiter waiter) {
        waiters.remove(waiter);
        requests--;
        permits -= waiter.permits;
    }
}
