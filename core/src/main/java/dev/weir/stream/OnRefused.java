package dev.weir.stream;

/** What a stream does when the limiter refuses the permit of an element or a call. */
public enum OnRefused {

    /** The stream fails with a {@link dev.weir.RateLimitExceededException}. */
    FAIL,

    /** The element is dropped and the stream goes on; a call that may end empty ends empty. */
    DROP
}
