package dev.weir.spring;

/** Where the permits of a limit are kept. */
public enum LimitBackend {

    /** In this JVM: each node has a limit of its own. */
    LOCAL,

    /** In Redis: all nodes share one limit. */
    REDIS
}
