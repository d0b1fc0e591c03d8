package dev.weir.gate;

import dev.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * Elements that wait for permits of the same limiter, and the one request under way for the first of them. Touched only
 * inside the drain, except where a subclass says otherwise.
 */
abstract class Lane<T> {

    final RateLimiter limiter;

    /** The request that waits or has been answered; null while nothing has been asked for. */
    @Nullable
    Ask<T> ask;

    /** Whether being told that a permit is there was not enough: then the permit itself is asked for. */
    boolean insists;

    Lane(RateLimiter limiter) {
        this.limiter = limiter;
    }

    abstract boolean isEmpty();

    /** Whether an element that may go at once follows one that has just gone; false also where that takes a closer look. */
    boolean findNext() {
        return false;
    }

    /** Answers what the element that would go now costs. The lane is not empty. */
    abstract int cost();

    /** Removes the element that goes now. The lane is not empty. */
    abstract T take();

    /** Whether it is this lane's turn: an answer is there, or there is an element to ask for. */
    final boolean isReady() {
        Ask<T> ask = this.ask;
        return ask == null ? !isEmpty() : ask.isAnswered();
    }

    /** Whether other permits are awaited than the element that would go now costs; not if only to be told when there are any. */
    final boolean asksForAnotherPrice() {
        Ask<T> ask = this.ask;
        return ask != null && ask.permits > 0 && ask.permits != cost() && !ask.isAnswered();
    }

    final void withdraw() {
        Ask<T> ask = this.ask;
        if (ask != null) {
            this.ask = null;
            ask.withdraw();
        }
    }
}
