package dev.weir.webflux;

/** Which header fields inform a client about its limits, in responses to granted and refused requests. */
public enum HeaderStyle {

    /** None; a refusal still has {@code Retry-After}. */
    NONE,

    /**
     * {@code RateLimit-Policy} and {@code RateLimit} as lists, as in draft-ietf-httpapi-ratelimit-headers-11, without
     * {@code pk}: {@code "api";q=100;w=60} and {@code "api";r=42;t=60}.
     */
    DRAFT_11,

    /**
     * {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}, the last in seconds from now, and left out if it is not
     * known; if there are several limits, for the one with the least remaining, of several such limits the one with the longest
     * reset.
     */
    X_RATELIMIT
}
