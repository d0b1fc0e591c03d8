package dev.weir.limit;

/** Who decided about a request. */
public enum DecisionSource {

    /** The arithmetic of this JVM, which the limit is kept by. */
    LOCAL,

    /** What the limit is kept in for several JVMs, such as a remote store. */
    REMOTE,

    /** This JVM on its own, as what the limit is kept in could not be asked. */
    FALLBACK
}
