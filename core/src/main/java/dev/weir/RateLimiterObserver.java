package dev.weir;

import dev.weir.limit.DecisionSource;

/**
 * Watches a limiter, for meters and logs. Called with nothing held, on the threads that
 * {@link PermitListener#onLease} names, right before the requester hears the same; what it throws goes to the uncaught
 * exception handler of the thread.
 *
 * <p>Permits that are returned later are not reported: a request was reported as acquired even if its lease was then given back, or
 * if another member of its {@linkplain RateLimiter#chain chain} refused.
 */
public interface RateLimiterObserver {

    /**
     * Permits were granted.
     *
     * @param permits how many
     * @param waitedNanos for how long they were waited for, in nanoseconds
     */
    default void onAcquired(int permits, long waitedNanos) {}

    /**
     * Permits were granted. Unless overridden, tells {@link #onAcquired(int, long)}.
     *
     * @param permits how many
     * @param waitedNanos for how long they were waited for, in nanoseconds
     * @param source who decided
     */
    default void onAcquired(int permits, long waitedNanos, DecisionSource source) {
        onAcquired(permits, waitedNanos);
    }

    /**
     * A request began to wait.
     *
     * @param permits how many it asks for
     */
    default void onQueued(int permits) {}

    /**
     * Permits were refused.
     *
     * @param permits how many were asked for
     * @param reason why
     */
    default void onRefused(int permits, RefusalReason reason) {}

    /**
     * Permits were refused. Unless overridden, tells {@link #onRefused(int, RefusalReason)}.
     *
     * @param permits how many were asked for
     * @param reason why
     * @param source who decided
     */
    default void onRefused(int permits, RefusalReason reason, DecisionSource source) {
        onRefused(permits, reason);
    }

    /**
     * A waiting request was withdrawn.
     *
     * @param permits how many it asked for
     * @param waitedNanos for how long it had waited, in nanoseconds
     */
    default void onCancelled(int permits, long waitedNanos) {}
}
