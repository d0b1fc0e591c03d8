package dev.weir.redis;

/** What becomes of requests while the store does not answer. */
public enum WhenUnavailable {

    /** They are refused, as {@link dev.weir.RefusalReason#BACKEND_UNAVAILABLE}. */
    REFUSE,

    /** They are granted, without a limit. */
    ALLOW,

    /** Each node keeps its share of the limit on its own: the limit divided by {@link RedisOptions#expectedNodes}. */
    LOCAL
}
