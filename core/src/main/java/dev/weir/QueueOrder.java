package dev.weir;

/** The order in which waiting requests are served. */
public enum QueueOrder {

    /** First come, first served: no request overtakes another, and a new request that finds no room in the queue is refused. */
    OLDEST_FIRST,

    /** Newest first: a new request overtakes those waiting; if the queue has no room for it, the oldest are evicted. */
    NEWEST_FIRST
}
