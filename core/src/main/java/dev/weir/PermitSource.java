package dev.weir;

import dev.weir.limit.PermitPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The source of the drain's permits: the policy of an engine, or the members of a chain. What takes permits for waiting requests,
 * or undoes what was arranged for them, is called inside the drain only.
 */
interface PermitSource {

    /** The result of {@link #tryTake} for a request that is to be refused with {@link #refusal}. */
    long REFUSED = -1;

    Terms terms();

    /** Returns the largest request that can be granted at present. */
    int capacity();

    /**
     * Takes permits for a waiting request; all waiting requests together ask for {@code waiting} permits. Returns the result of
     * {@link PermitPolicy#tryTake} or {@link #REFUSED}.
     */
    long tryTake(Waiter waiter, long waiting, long nowNanos);

    /**
     * Returns whether this asks no other limiter or store, and no request overtakes a waiting one: then the first one's wait
     * stays as it was computed, unless the drain is signalled.
     */
    default boolean isSteady() {
        return false;
    }

    /** Returns what, other than the limit, keeps permits from being taken; null if nothing does. */
    default @Nullable Throwable failure(long nowNanos) {
        return null;
    }

    /** Gives back what was just taken, because the request no longer needs it. */
    void untake(int permits, long nowNanos);

    /** Creates the lease of what was just taken. */
    Lease countGranted(int permits, long nowNanos);

    /** Creates the lease of a refused request, which waits or came to do so. */
    Lease countRefused(Waiter waiter, RefusalReason reason, @Nullable Throwable cause, long retryNanos, long nowNanos);

    /** Creates the lease of what was just refused. */
    default Lease refusal(int permits) {
        throw new IllegalStateException("nothing was refused");
    }

    /** As {@link PermitPolicy#nanosAtLeast}, including the time that a pause still lasts. */
    long nanosAtLeast(Ahead ahead, int permits, long nowNanos);

    /**
     * Returns whether other limiters were asked for a request, with the bound of its wait, and so refuse it themselves if it is too
     * short.
     */
    default boolean isJudgedWhereItWaits(Waiter waiter) {
        return false;
    }

    /** As {@link PermitPolicy#nanosUntilDecided}. */
    default long nanosUntilDecided(int permits, long nowNanos) {
        return 0;
    }

    /**
     * Returns after how long a refused request would succeed if no other requests were made, {@link PermitEngine#UNBOUNDED} if time
     * does not tell.
     */
    long nanosUntilRetry(int permits, long nowNanos);

    /**
     * Called when the time of {@code overdue} is up: returns whether permits that were available in time may still be on their
     * way to it. If so, it is not refused yet; one of {@code answers} triggers another pass, in which this returns false unless
     * the situation has changed.
     */
    default boolean looksOnceMore(Waiter overdue, Answers answers) {
        return false;
    }

    /**
     * Undoes what was arranged for waiting requests, as there is nothing to be served at present: no head of the queue, or no
     * probes, or neither.
     */
    default void cancelReservations(boolean ofHead, boolean ofProbes) {}

    /** The drain has been left; it may be empty now. */
    default void left(PermitDrain drain) {}
}
