package dev.weir.redis;

/** Hears that limits are decided without the server. */
@FunctionalInterface
interface OutageListener {

    /** Hears of one failure. May be called on any thread, also one of the client: so it must be quick, and must not block. */
    void decidesAlone(Throwable cause);
}
