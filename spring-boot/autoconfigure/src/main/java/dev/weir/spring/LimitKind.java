package dev.weir.spring;

/** The kinds of limit that properties can define. */
public enum LimitKind {

    /** At most the given number of permits in any interval, exactly. */
    SLIDING_WINDOW_LOG,

    /** The same, counted by segments of the window. */
    SLIDING_WINDOW,

    /** The same, estimated from the counts of two windows. */
    SLIDING_WINDOW_COUNTER,

    /** The count starts anew in every window. */
    FIXED_WINDOW,

    /** Refilled continuously; bursts up to its capacity. */
    TOKEN_BUCKET,

    /** Evenly spaced. */
    LEAKY_BUCKET,

    /** At most the given number of requests at the same time. */
    CONCURRENCY
}
