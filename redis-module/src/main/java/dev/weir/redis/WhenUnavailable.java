package dev.weir.redis;

/** What becomes of requests while the store does not answer. */
public enum WhenUnavailable {

    /** They are refused, as {@link dev.weir.RefusalReason#BACKEND_UNAVAILABLE}. */
    REFUSE,

    /** They are granted, without a limit. */
    ALLOW,

    /**
     * Each node keeps its share of the limit on its own: the limit divided by {@link RedisOptions#expectedNodes}. Where there are fewer
     * permits than nodes, each node has one, as much less often: in the long run all together are no faster than the limit, but one of
     * each may be used at the same time. Two limiters of one name on one node have a share each. When the store is back, several nodes
     * go on so for about a second, until all have told it.
     */
    LOCAL
}
