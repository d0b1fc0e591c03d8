package dev.weir.spring;

/** The kinds of limit that properties can ask for. */
public enum LimitKind {

    /** At most so many in any interval: exact. */
    SLIDING_WINDOW_LOG,

    /** The same, remembered in segments. */
    SLIDING_WINDOW,

    /** An estimate from two windows. */
    SLIDING_WINDOW_COUNTER,

    /** Counts afresh in every window. */
    FIXED_WINDOW,

    /** Refilled continuously; bursts up to its capacity. */
    TOKEN_BUCKET,

    /** Evenly spaced. */
    LEAKY_BUCKET,

    /** So many at the same time. */
    CONCURRENCY
}
