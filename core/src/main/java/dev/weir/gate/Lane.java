package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * A queue of elements that wait for permits of the same limiter, with at most one pending request, made for the first of them.
 * Used only inside the drain, except where a subclass states otherwise.
 */
abstract class Lane<T> {

    final RateLimiter limiter;

    /** The request that waits or has been answered; null while no permit has been requested. */
    @Nullable
    LaneRequest<T> request;

    /** Whether the notification that a permit is available was not enough: then the permit itself is requested. */
    boolean insists;

    Lane(RateLimiter limiter) {
        this.limiter = limiter;
    }

    abstract boolean isEmpty();

    /** Whether another element is ready to go right after one that has just gone; false also if that is not known immediately. */
    boolean findNext() {
        return false;
    }

    /** Returns the cost of the element that would go now. The lane must not be empty. */
    abstract int cost();

    /**
     * Whether permits for the element that would go now are not there, so that a request would wait. True also if the limiter fails: the
     * request will report that. The lane must not be empty.
     */
    final boolean mustWait() {
        try {
            return limiter.availablePermits() < cost();
        } catch (Throwable failed) {
            return true;
        }
    }

    /** Removes the element that goes now. The lane must not be empty. */
    abstract T take();

    /** A request is made for the element that would go now. */
    void requested(LaneRequest<T> request) {
        this.request = request;
        request.open.add(request);
    }

    /**
     * Removes the element for which the latest request was made; null if that has gone. It is the one that goes now, unless others
     * may overtake it, or it may be evicted.
     */
    @Nullable
    T takeRequested() {
        return take();
    }

    /** Whether this lane can be served: its request has been answered, or it has an element without a request. */
    final boolean isReady() {
        LaneRequest<T> request = this.request;
        return request == null ? !isEmpty() : request.isAnswered();
    }

    /**
     * Whether the pending request is for another number of permits than the next element costs; false if it is for a
     * notification.
     */
    final boolean requestsOtherCost() {
        LaneRequest<T> request = this.request;
        return request != null && request.permits > 0 && request.permits != cost() && !request.isAnswered();
    }

    /** Takes the answer to the request; null if that has been withdrawn, because downstream has cancelled. */
    final @Nullable Lease answer() {
        LaneRequest<T> answered = forget();
        return answered == null ? null : answered.take();
    }

    final void withdraw() {
        LaneRequest<T> unanswered = forget();
        if (unanswered != null) {
            unanswered.withdraw();
        }
    }

    private @Nullable LaneRequest<T> forget() {
        LaneRequest<T> forgotten = request;
        if (forgotten != null) {
            request = null;
            forgotten.open.remove(forgotten);
        }
        return forgotten;
    }
}
