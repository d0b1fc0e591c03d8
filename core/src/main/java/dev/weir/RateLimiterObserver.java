package dev.weir;

/**
 * Watches a limiter, for meters and logs. Called with nothing held, on the threads that
 * {@link PermitListener#onLease} names, right before the requester hears the same; what it throws goes to the uncaught
 * exception handler of the thread.
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
     * A waiting request was withdrawn.
     *
     * @param permits how many it asked for
     * @param waitedNanos for how long it had waited, in nanoseconds
     */
    default void onCancelled(int permits, long waitedNanos) {}
}
