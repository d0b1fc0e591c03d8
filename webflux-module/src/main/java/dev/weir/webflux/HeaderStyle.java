package dev.weir.webflux;

/** Which header fields tell a client about its limits, with what passes and with what is refused. */
public enum HeaderStyle {

    /** None; a refusal still says {@code Retry-After}. */
    NONE,

    /**
     * {@code RateLimit-Policy} and {@code RateLimit} as lists, after draft-ietf-httpapi-ratelimit-headers-11, without
     * {@code pk}: {@code "api";q=100;w=60} and {@code "api";r=42;t=60}.
     */
    DRAFT_11,

    /**
     * {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}, the last in seconds from now; of several limits, those
     * of the one with the least remaining.
     */
    X_RATELIMIT
}
