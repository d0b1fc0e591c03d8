package dev.weir.webflux;

import dev.weir.RateLimiter;

/**
 * A limiter that applies to one request.
 *
 * @param limiter the limiter to ask: that of the request's key if the limit is partitioned
 * @param protectsServer whether its refusal means that this server lacks capacity (503) rather than that a quota is exceeded (429)
 */
record AskedLimit(RateLimiter limiter, boolean protectsServer) implements LimitSource.Found {

    int capacity() {
        return limiter.limit().capacity();
    }

    /** Asks by a charge of nothing, which a limiter refuses only if it, or a member of a chain, is closed. */
    boolean isClosed() {
        try {
            limiter.charge(0);
            return false;
        } catch (IllegalStateException closed) {
            return true;
        }
    }

    String name() {
        return limiter.name();
    }
}
