package dev.weir;

/**
 * The order in which waiting requests are served. In either order only the first is considered: while there are too few permits for
 * it, those behind it wait, however few they need.
 */
public enum QueueOrder {

    /** First come, first served: no request overtakes another, and a new request that finds no room in the queue is refused. */
    OLDEST_FIRST,

    /**
     * Newest first: a new request overtakes those waiting; if the queue has no room for it, the oldest are evicted. One larger than the
     * whole queue is refused and evicts nobody. Old requests may wait for ever if new ones keep coming: set a queue limit or a maximum
     * wait.
     */
    NEWEST_FIRST
}
