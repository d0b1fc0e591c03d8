package dev.weir.stream;

/** What happens to an element that arrives while the buffer of a stream is full. */
public enum WhenFull {

    /** The source is cancelled at once and the stream fails, after what was held has been delivered or dropped. */
    FAIL,

    /** The newcomer is dropped, also where the newest goes first. */
    REJECT_NEW,

    /**
     * The oldest of the held elements is dropped, and the newcomer takes a place. It is the oldest of all, whichever would have gone
     * next: with {@link dev.weir.QueueOrder#NEWEST_FIRST} the one that would have gone last; with a limiter for each key that of any
     * key, so that a busy key may push out the only element of another.
     */
    EVICT_OLDEST
}
