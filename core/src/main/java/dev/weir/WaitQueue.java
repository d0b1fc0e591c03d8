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

    /**
     * Counts the waiting requests that would be served before a newcomer. One that comes from another member of its chain keeps its
     * age, and may go before some that wait.
     */
    Ahead aheadOf(Waiter newcomer) {
        if (isNewestFirst) {
            return Ahead.NOTHING;
        }
        Waiter younger = firstYoungerThan(newcomer);
        return younger == null ? new Ahead(requests, permits) : countBefore(younger);
    }

    /** Counts those that would be ahead of a waiting request if it came now. */
    Ahead aheadOfWaiting(Waiter waiter) {
        return isNewestFirst ? Ahead.NOTHING : countBefore(waiter);
    }

    /** Returns what is ahead of the request right behind {@code waiter}, given what is ahead of {@code waiter}. */
    Ahead aheadOfNext(Ahead ahead, Waiter waiter) {
        return isNewestFirst ? ahead : ahead.and(waiter);
    }

    /** Counts those before it, or those from it on if these are fewer. */
    private Ahead countBefore(Waiter younger) {
        long steps = 0;
        long permitsBefore = 0;
        long permitsFrom = younger.permits;
        Waiter before = younger.older;
        Waiter behind = younger.newer;
        while (before != null && behind != null) {
            steps++;
            permitsBefore += before.permits;
            permitsFrom += behind.permits;
            before = before.older;
            behind = behind.newer;
        }
        return before == null
                ? new Ahead(steps, permitsBefore)
                : new Ahead(requests - 1 - steps, permits - permitsFrom);
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

    @Nullable
    Waiter newest() {
        return waiters.newest();
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

    /**
     * Searches from both ends in step: most newcomers are younger than nearly all, as their threads have just read the clock, and some,
     * that waited long at another member, older.
     */
    private @Nullable Waiter firstAfter(ChainRequest chainRequest) {
        Waiter younger = waiters.newest();
        if (younger == null || !chainRequest.isBefore(younger)) {
            return null;
        }
        Waiter fromOldest = waiters.oldest();
        while (fromOldest != null && !chainRequest.isBefore(fromOldest)) {
            Waiter next = younger.older;
            if (next == null || !chainRequest.isBefore(next)) {
                return younger;
            }
            younger = next;
            fromOldest = fromOldest.newer;
        }
        return fromOldest;
    }

    void remove(Waiter waiter) {
        waiters.remove(waiter);
        requests--;
        permits -= waiter.permits;
    }
}
