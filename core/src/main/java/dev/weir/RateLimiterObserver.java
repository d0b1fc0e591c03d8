package dev.weir;

import dev.weir.limit.DecisionSource;

/**
 * Observes a limiter, for meters and logs. Several threads may call it at once. It runs without locks held on the threads described
 * at {@link PermitListener#onLease}, event loops among them, right before the requester receives the same answer: so it should
 * return quickly. What it throws goes to the uncaught exception handler of the thread.
 *
 * <p>Permits that are returned later are not reported: a request stays reported as acquired even if its lease is then given back,
 * as when its future is cancelled before it has been told, or if another member of its {@linkplain RateLimiter#chain chain} refuses.
 */
public interface RateLimiterObserver {

    /**
     * Permits were granted.
     *
     * @param permits how many; zero for a probe
     * @param waitedNanos how long the request waited, in nanoseconds; zero if it was granted at once
     */
    default void onAcquired(int permits, long waitedNanos) {}

    /**
     * Permits were granted. By default calls {@link #onAcquired(int, long)}.
     *
     * @param permits how many; zero for a probe
     * @param waitedNanos how long the request waited, in nanoseconds; zero if it was granted at once
     * @param source where the decision was made
     */
    default void onAcquired(int permits, long waitedNanos, DecisionSource source) {
        onAcquired(permits, waitedNanos);
    }

    /**
     * A request started to wait.
     *
     * @param permits how many it asks for; zero for a probe
     */
    default void onQueued(int permits) {}

    /**
     * Permits were refused.
     *
     * @param permits how many were requested; zero for a probe
     * @param reason why
     */
    default void onRefused(int permits, RefusalReason reason) {}

    /**
     * Permits were refused. By default calls {@link #onRefused(int, RefusalReason)}.
     *
     * @param permits how many were requested; zero for a probe
     * @param reason why
     * @param source where the decision was made
     */
    default void onRefused(int permits, RefusalReason reason, DecisionSource source) {
        onRefused(permits, reason);
    }

    /**
     * A waiting request was cancelled.
     *
     * @param permits how many it asked for; zero for a probe
     * @param waitedNanos how long it had waited, in nanoseconds
     */
    default void onCancelled(int permits, long waitedNanos) {}
}
