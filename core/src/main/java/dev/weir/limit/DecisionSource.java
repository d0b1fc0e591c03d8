package dev.weir.limit;

/** Who decided about a request. */
public enum DecisionSource {

    /** The policy of this JVM, where the limit is kept in this JVM. */
    LOCAL,

    /** The place where several JVMs share the limit, such as a remote store. */
    REMOTE,

    /** This JVM on its own, because the remote store could not be asked. */
    FALLBACK
}
