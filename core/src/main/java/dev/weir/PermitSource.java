package dev.weir;

import dev.weir.limit.PermitPolicy;
import org.jspecify.annotations.Nullable;

/** Where the drain gets permits from: the policy of an engine, or the members of a chain. Asked inside the drain only. */
interface PermitSource {

    /** The answer of {@link #tryTake} for a request that is to be refused with {@link #refusal}. */
    long REFUSED = -1;

    Terms terms();

    /** Returns the largest request that can be granted at present. */
    int capacity();

    /**
     * Takes permits for one of those who wait, who together ask for so many. Answers as {@link PermitPolicy#tryTake} or
     * {@link #REFUSED}.
     */
    long tryTake(Waiter waiter, long waiting, long nowNanos);

    /**
     * Tells whether this asks no other limiter or store, and nobody overtakes who waits: then who is first has to wait for as long as
     * was said, unless the drain is told otherwise.
     */
    default boolean isSteady() {
        return false;
    }

    /** Tells what keeps permits from being taken, other than the limit. */
    default @Nullable Throwable trouble(long nowNanos) {
        return null;
    }

    /** Gives back what was taken right before, as nobody wants it any more. */
    void untake(int permits, long nowNanos);

    /** Makes the lease of what was taken right before. */
    Lease countGranted(int permits, long nowNanos);

    /** Makes the lease of one who is refused. */
    Lease countRefused(int permits, RefusalReason reason, @Nullable Throwable cause, long retryNanos, long nowNanos);

    /** Makes the lease of what was refused right before. */
    default Lease refusal(int permits) {
        throw new IllegalStateException("nothing was refused");
    }

    /** Answers as {@link PermitPolicy#nanosAtLeast}, for when no pause is on any more. */
    long nanosAtLeast(long ahead, int permits, long nowNanos);

    /** Returns after how long a request that is refused would succeed if nobody else asked. */
    long nanosUntilRetry(int permits, long nowNanos);

    /**
     * Somebody's time is up: tells whether permits may still be on their way that were there in time. Then another pass is among
     * the answers, and after that this says no.
     */
    default boolean looksOnceMore(Waiter overdue, Answers answers) {
        return false;
    }

    /** Nobody is to be served at present: whatever was arranged for who waits is undone. */
    default void standBack() {
        standBackForHead();
        standBackForProbes();
    }

    /** There is no head of the queue any more, though others may wait. */
    default void standBackForHead() {}

    /** There is none who only probes any more, though others may wait. */
    default void standBackForProbes() {}

    /** The drain has been left; nobody may be waiting in it any more. */
    default void left(PermitDrain drain) {}
}
