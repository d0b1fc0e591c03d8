package dev.weir.redis;

/** What is given back of a request that took permits. */
enum Portion {
    /** All of it: the request itself no longer counts. */
    ALL,

    /** Some of its permits; the rest stays taken. */
    PART,

    /** Some of its permits, when its lease has been closed: only limits that refill with time still count them. */
    PART_OF_CLOSED;

    boolean isPart() {
        return this != ALL;
    }

    /** Returns whether they still count where permits return when leases are closed. */
    boolean isHeld() {
        return this != PART_OF_CLOSED;
    }

    /** Returns how many requests are given back. */
    int calls() {
        return this == ALL ? 1 : 0;
    }
}
