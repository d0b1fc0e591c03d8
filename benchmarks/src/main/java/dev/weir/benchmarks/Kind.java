package dev.weir.benchmarks;

/** What a contender is in a comparison. */
public enum Kind {
    /** What no limiter can do without. */
    FLOOR,
    /** This library. */
    OURS,
    /** Another library. */
    PEER
}
