package dev.weir.gate;

import dev.weir.RateLimiter;

/** A held element, with the values that were computed for it on arrival. */
final class Arrival<T> {

    final T element;
    final int cost;
    final Object key;
    final RateLimiter limiter;

    /** Its position in the order of arrival, assigned by the drain. */
    long number;

    Arrival(T element, int cost, Object key, RateLimiter limiter) {
        this.element = element;
        this.cost = cost;
        this.key = key;
        this.limiter = limiter;
    }
}
