package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for permits, in order, and the room they take, which is counted in permits. Used inside the drain
 * only.
 */
final class WaitQueue {

    private final WaiterList waiters = new WaiterList();
    private final QueueOrder order;
    private final int limit;

    private long permits;

    WaitQueue(QueueOrder order, int limit) {
        this.order = order;
        this.limit = limit;
    }

    /** Returns who goes next. */
    @Nullable
    Waiter head() {
        return order == QueueOrder.OLDEST_FIRST ? waiters.oldest() : waiters.newest();
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    /** Returns how many permits the waiting requests ask for that would go before a newcomer. */
    long permitsAheadOfNewcomer() {
        return order == QueueOrder.OLDEST_FIRST ? permits : 0;
    }

    boolean hasRoomFor(Waiter newcomer) {
        return permits + newcomer.permits <= limit;
    }

    /** Tells whether room can be made by evicting others: only for newest first, and not for more than all the room. */
    boolean mayEvictFor(Waiter newcomer) {
        return order == QueueOrder.NEWEST_FIRST && newcomer.permits <= limit;
    }

    @Nullable
    Waiter oldest() {
        return waiters.oldest();
    }

    void add(Waiter waiter) {
        waiters.add(waiter);
        permits += waiter.permits;
    }

    void remove(Waiter waiter) {
        waiters.remove(waiter);
        permits -= waiter.permits;
    }
}
