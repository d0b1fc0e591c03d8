package dev.weir.redis;

/** Hears that limits are decided without the server. */
@FunctionalInterface
interface OutageListener {

    /** For nobody. */
    OutageListener NONE = cause -> {};

    /** Called on any thread, the client's included, for each failure while that is so: must be quick, and not block. */
    void decidesAlone(Throwable cause);
}
