package dev.weir.stream;

/**
 * What happens to an element that arrives while the buffer of a stream is full. With a limiter for each key, an element that can
 * go at once, past held elements of other keys, needs no room.
 */
public enum WhenFull {

    /**
     * The source is cancelled at once, and the stream fails after the held elements have been delivered or dropped. With
     * {@link StreamOptions#errorsCutAhead()} they are dropped, and the stream fails at once.
     */
    FAIL,

    /** The new element is dropped, also with {@link dev.weir.QueueOrder#NEWEST_FIRST}. */
    REJECT_NEW,

    /**
     * The oldest of the held elements is dropped, and the new element is accepted. The element dropped is the oldest of all,
     * whichever would have gone next. With {@link dev.weir.QueueOrder#NEWEST_FIRST} it is the one that would have gone last. With
     * a limiter for each key it is the oldest of any key, so a busy key may push out the only element of another.
     */
    EVICT_OLDEST
}
