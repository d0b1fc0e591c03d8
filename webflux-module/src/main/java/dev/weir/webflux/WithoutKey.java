package dev.weir.webflux;

/** What happens to a request that has no key, such as one without a principal if the principal is the key. */
public enum WithoutKey {

    /** All such requests share one limit of their own. */
    SHARE,

    /** Such requests are refused with status 403: retrying later would not help. */
    REFUSE,

    /** The limit does not apply to such requests. */
    SKIP
}
