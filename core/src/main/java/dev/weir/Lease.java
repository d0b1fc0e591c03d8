package dev.weir;

import dev.weir.limit.DecisionSource;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The answer to a request for permits: either the permits, or a refusal that says why and when to try again.
 *
 * <pre>{@code
 * limiter.acquire(1_000).thenAccept(lease -> {            // what it may cost
 *     if (lease.isAcquired()) {
 *         lease.settle(730);                              // what it did cost
 *     }
 * });
 * }</pre>
 *
 * <p>A refusal is a value, never an exception. A lease must be closed if a limit of {@link dev.weir.limit.Concurrency concurrency}
 * takes part, alone, as a part of {@link dev.weir.limit.Limit#allOf}, counting calls, or at a member of a
 * {@linkplain RateLimiter#chain chain}. Closing any other does nothing, so it is always safe. Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /**
     * Returns whether the permits were granted.
     *
     * @return true for a grant, false for a refusal
     */
    boolean isAcquired();

    /**
     * Returns how many permits were requested.
     *
     * @return the number of permits
     */
    int permits();

    /**
     * Returns why the permits were refused.
     *
     * @return the reason; empty for a grant
     */
    Optional<RefusalReason> reason();

    /**
     * Returns after how long the same request would succeed if nobody else asked; not a nanosecond earlier. Requests that already
     * wait are mostly not counted, so behind a long queue this is only the first time at which it can be of use to come back. Of a
     * limit that a fleet shares it is what this node knew.
     *
     * <p>In a {@linkplain RateLimiter#chain chain} of which a member refused, other members that wait for leases to be closed are left
     * out: they may or may not have permits by then.
     *
     * @return the duration; empty for a grant, and where time alone does not tell: leases have to be closed first, the limiter is
     *     closed, or the limit has become smaller than the request
     */
    Optional<Duration> retryAfter();

    /**
     * Corrects an estimate, once: charges what was used beyond the permits granted, or gives back what was not used. Later calls,
     * and calls on a refusal, do nothing.
     *
     * <p>Late settling returns only what time has not refilled already, so that the limit is never exceeded; see the
     * documentation of the limit. For limits whose permits come back by {@link #close}, unused permits come back at once and used
     * ones when the lease is closed; nothing can be charged beyond the permits granted.
     *
     * @param actualPermits the number of permits actually used
     * @throws IllegalArgumentException if negative
     */
    void settle(int actualPermits);

    /** Returns the permits of every limit of concurrency that takes part, if one does; otherwise does nothing. Idempotent. */
    @Override
    void close();

    /**
     * Undoes the grant: returns the permits as if they had never been taken, except for what time has refilled already. Use it
     * for permits that arrive when they are no longer wanted. Does nothing after {@link #settle} or {@link #close}, or on a
     * refusal.
     *
     * <p>The default settles and closes. It does not know whether the lease was closed before, and then returns permits of limits
     * for which closing does nothing. So implementations override it.
     */
    default void giveBack() {
        settle(0);
        close();
    }

    /**
     * Returns the name of the limiter that refused; for a {@linkplain RateLimiter#chain chain}, the name of a member, or of the chain
     * if that itself refused.
     *
     * @return the name; empty for a grant
     */
    default Optional<String> refusedBy() {
        return Optional.empty();
    }

    /**
     * Returns the index of the {@linkplain RateLimiter#chain chain} member that refused. Unlike {@link #refusedBy()} it is
     * unambiguous: limiters may share a name, and if the member is itself a chain, {@link #refusedBy()} names a member of that
     * chain.
     *
     * @return the index, from 0, in the list of limiters that the chain was created from; empty for a grant, if the limiter is
     *     not a chain, and if the chain itself refused, for example while it is paused
     */
    default OptionalInt refusedAt() {
        return OptionalInt.empty();
    }

    /**
     * Returns the underlying failure if the reason is {@link RefusalReason#BACKEND_UNAVAILABLE}.
     *
     * @return the cause; empty otherwise
     */
    default Optional<Throwable> cause() {
        return Optional.empty();
    }

    /**
     * Returns where the decision was made. This matters if the limit is shared by several JVMs.
     *
     * @return the source of the decision; {@link DecisionSource#LOCAL} for a limiter of this JVM alone
     */
    default DecisionSource source() {
        return DecisionSource.LOCAL;
    }
}
