package dev.weir.webflux;

/** What happens to a request that has no key, as one without a principal where the principal is the key. */
public enum WithoutKey {

    /** All such requests share one key of their own. */
    SHARE,

    /** Such requests are refused, as 403: coming back later would not help. */
    REFUSE,

    /** The limit does not apply to such requests. */
    SKIP
}
