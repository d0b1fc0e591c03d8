package dev.weir.stream;

/** What a stream does when the limiter refuses a permit for an element or a call. */
public enum OnRefused {

    /** The stream fails with a {@link dev.weir.RateLimitExceededException}. */
    FAIL,

    /**
     * The element is dropped and the stream continues; a call that may complete empty completes empty. What may not, as a
     * {@code Single}, fails as with {@link #FAIL}, whether the call is refused or its element.
     */
    DROP
}
