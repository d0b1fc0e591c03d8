package dev.weir.gate;

import dev.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * All that a gate holds, as lanes. {@link #hold} belongs to the upstream's thread and {@link #answered} to any; the rest
 * is called inside the drain only.
 */
abstract class Lanes<T> {

    /** Keeps an element for the drain to find; false if there is no room. The caller then enters the drain. */
    abstract boolean hold(T element, int cost, @Nullable Object key, RateLimiter limiter);

    /** Whether an element of that key, arriving now, would overtake nobody by going at once. */
    abstract boolean isFree(@Nullable Object key);

    /** Brings what has arrived into the lanes. */
    abstract void absorb(boolean demand);

    /** Answers a lane whose turn it is, to be handed to {@link #served} afterwards; null if all wait or are empty. */
    abstract @Nullable Lane<T> next();

    abstract void served(Lane<T> lane);

    /** Whether nothing is held, also nothing that has not been absorbed yet. */
    abstract boolean isEmpty();

    /** Withdraws all requests. */
    abstract void withdraw();

    /** Removes any element, the oldest where that is easy; null if there is none. */
    abstract @Nullable T removeAny();

    /** How many are held; exact inside the drain when the upstream is still, else a moment old. */
    abstract int size();

    /** A request of one of the lanes that waited has its answer. */
    void answered(Ask<T> ask) {}

    /** Whether elements are taken from the source's own queue. Then it is cancelled inside the drain, not while it is polled. */
    boolean isPulled() {
        return false;
    }

    /** Whether the source was found to be at its end without having said so. */
    boolean isExhausted() {
        return false;
    }
}
