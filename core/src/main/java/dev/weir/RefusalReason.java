package dev.weir;

/** Why permits were refused. */
public enum RefusalReason {

    /** The permits were not there, and the request was not to wait. */
    EXHAUSTED,

    /** The request would have had to wait, and the queue had no room for it. */
    QUEUE_FULL,

    /** The request waited in a newest-first queue and had to make room for a newcomer. */
    EVICTED,

    /** The wait would exceed the longest wait allowed. */
    MAX_WAIT,

    /** The limiter was closed while the request waited. */
    CLOSED,

    /** The limiter is paused, and the request was not to wait. */
    PAUSED,

    /** What the limiter depends on, such as its timer or a remote store, did not answer. */
    BACKEND_UNAVAILABLE
}
