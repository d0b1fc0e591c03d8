package dev.weir;

/** Who goes first among those that wait. */
public enum QueueOrder {

    /** First come, first served: nobody overtakes, and who finds no room is refused. */
    OLDEST_FIRST,

    /** The newcomer goes first: what fits overtakes, and who finds no room takes that of the oldest. */
    NEWEST_FIRST
}
