package dev.weir.gate;

import dev.weir.RateLimiter;

/** An element that is held, with what was computed for it on arrival. */
final class Arrival<T> {

    final T element;
    final int cost;
    final Object key;
    final RateLimiter limiter;

    /** Its place in the order of arrival, given by the drain. */
    long number;

    Arrival(T element, int cost, Object key, RateLimiter limiter) {
        this.element = element;
        this.cost = cost;
        this.key = key;
        this.limiter = limiter;
    }
}
