package dev.weir;

/** Why permits were refused. */
public enum RefusalReason {

    /**
     * The permits were not available, or others wait ahead for them, and the request was not allowed to wait. Also for a key beyond
     * {@link PartitionedRateLimiter.Builder#maximumKeys maximumKeys}, and for a waiting request that can never be granted, for
     * example because the limit was reduced below its size.
     */
    EXHAUSTED,

    /** The request would have had to wait, and the queue had no room for it. */
    QUEUE_FULL,

    /** The request waited in a newest-first queue and was evicted for a newer one. */
    EVICTED,

    /** The wait reached, or would have exceeded, the longest wait allowed. */
    MAX_WAIT,

    /** The limiter was closed while the request waited. */
    CLOSED,

    /** The limiter is paused, and the request was not allowed to wait. */
    PAUSED,

    /** Something the limiter depends on, such as its timer or a remote store, failed or did not answer. */
    BACKEND_UNAVAILABLE
}
