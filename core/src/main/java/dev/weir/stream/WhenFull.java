package dev.weir.stream;

/** What happens to an element that arrives while the buffer of a stream is full. */
public enum WhenFull {

    /** The source is cancelled at once and the stream fails, after what was held has been delivered or dropped. */
    FAIL,

    /** The newcomer is dropped. */
    REJECT_NEW,

    /** The oldest of the held elements is dropped, and the newcomer takes a place. */
    EVICT_OLDEST
}
