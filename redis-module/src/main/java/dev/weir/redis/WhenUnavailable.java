package dev.weir.redis;

/** How requests are decided while the store does not answer. */
public enum WhenUnavailable {

    /** Requests are refused, as {@link dev.weir.RefusalReason#BACKEND_UNAVAILABLE}. */
    REFUSE,

    /** Requests are granted, without a limit. */
    ALLOW,

    /**
     * Each node enforces its share of the limit on its own: the limit divided by {@link RedisOptions#expectedNodes}. With fewer
     * permits than nodes, each node gets one permit per correspondingly longer period: in the long run all nodes together stay
     * within the limit, but each may use its one permit at the same time. Two limiters of one name on one node have a share each.
     * When the store is back, and several nodes are expected, they continue like this for about a second, until all have reported
     * their usage.
     */
    LOCAL
}
