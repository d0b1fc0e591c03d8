package dev.weir.gate;

import dev.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * All elements that a gate holds, as lanes. {@link #hold} is called on the source's thread and {@link #answered} on any; all other
 * methods only inside the drain.
 */
abstract class Lanes<T> {

    final OpenRequests<T> open = new OpenRequests<>();

    /** Holds an element for the drain to find; returns false if there is no room. The caller then enters the drain. */
    abstract boolean hold(T element, int cost, Object key, RateLimiter limiter);

    /** Whether an element of that key, arriving now, can go at once without overtaking another. Throws what the key throws. */
    abstract boolean isFree(Object key);

    /** Whether an element of a key of which none is held, arriving now, would find no room, or take that of another. */
    boolean isFull() {
        return false;
    }

    /** Moves arrived elements into the lanes. */
    abstract void absorb(boolean demand);

    /** Returns the lane whose turn it is, to be passed to {@link #served} afterwards; null if all wait or are empty. */
    abstract @Nullable Lane<T> next();

    abstract void served(Lane<T> lane);

    /** Whether other lanes are to be tried before this one makes a request, as they might use up the demand that is left. */
    boolean mayPutOff(Lane<T> lane, long demand) {
        return false;
    }

    /** Has the lane, if {@link #mayPutOff}, tried again when the others have been. */
    void putOff(Lane<T> lane) {}

    /** Whether no element is held, including those not absorbed yet. */
    abstract boolean isEmpty();

    /** Withdraws all requests. */
    abstract void withdraw();

    /** Removes any element, the oldest if that is easy; returns null if there is none. Called when all requests are withdrawn. */
    abstract @Nullable T removeAny();

    /** The number of elements held; exact inside the drain while the source is idle, otherwise a snapshot. */
    abstract int size();

    /** A waiting request of one of the lanes has been answered. */
    void answered(LaneRequest<T> request) {}

    /** Whether the source was found to be at its end without having signalled it. */
    boolean isExhausted() {
        return false;
    }
}
