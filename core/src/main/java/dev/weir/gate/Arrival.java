package dev.weir.gate;

import dev.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/** A held element, with the values that were computed for it on arrival. */
final class Arrival<T> {

    final T element;
    final int cost;
    final Object key;
    final RateLimiter limiter;

    /** Its position in the order of arrival, assigned by the drain. */
    long number;

    /** Its lane, assigned by the drain: its key is not asked again. */
    @Nullable
    HeldLane<T> lane;

    Arrival(T element, int cost, Object key, RateLimiter limiter) {
        this.element = element;
        this.cost = cost;
        this.key = key;
        this.limiter = limiter;
    }
}
