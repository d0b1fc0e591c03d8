package dev.weir.webflux;

import dev.weir.RateLimiter;

/**
 * A limiter that one request asks.
 *
 * @param limiter the limiter to ask: that of a key, where there are keys
 * @param protectsServer whether its refusal is for want of room here (503) rather than of quota (429)
 */
record AskedLimit(RateLimiter limiter, boolean protectsServer) {

    int capacity() {
        return limiter.limit().capacity();
    }

    String name() {
        return limiter.name();
    }
}
