package dev.weir;

import dev.weir.limit.DecisionSource;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The answer to a request for permits: the permits, or a refusal that says why and when to try again.
 *
 * <pre>{@code
 * limiter.acquire(1_000).thenAccept(lease -> {            // what it may cost
 *     if (lease.isAcquired()) {
 *         lease.settle(730);                              // what it did cost
 *     }
 * });
 * }</pre>
 *
 * <p>A refusal is a value, never an exception. Leases of a limit of {@link dev.weir.limit.Concurrency concurrency} must be
 * closed; for all others closing does nothing, and so is never wrong. Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /**
     * Tells a grant from a refusal.
     *
     * @return whether the permits were granted
     */
    boolean isAcquired();

    /**
     * Returns how many permits were asked for.
     *
     * @return the number of permits
     */
    int permits();

    /**
     * Returns why the permits were refused.
     *
     * @return the reason; empty when acquired
     */
    Optional<RefusalReason> reason();

    /**
     * Returns after how long the same request would succeed, if nobody else asked: never too early, exact to the
     * nanosecond as of the refusal.
     *
     * @return the duration; empty when acquired, and when time alone does not tell
     */
    Optional<Duration> retryAfter();

    /**
     * Corrects an estimate, once: charges what was used beyond the permits granted, or gives back what was not used. Later
     * calls, and calls on a refusal, do nothing.
     *
     * <p>What is given back late is worth what time has not done already: where permits come back with time, no more than would
     * not have overflowed or been forgotten meanwhile; see the limit. Where they come back by {@link #close}, what was not used
     * comes back at once, what was used by closing, and nothing can be charged beyond the permits granted.
     *
     * @param actualPermits what was really used
     * @throws IllegalArgumentException if negative
     */
    void settle(int actualPermits);

    /**
     * Gives the permits back where the limit is one of concurrency; otherwise does nothing. Idempotent.
     */
    @Override
    void close();

    /**
     * Undoes the grant: leaves the limiter as if it had never been, as far as time has not done so already. For permits that
     * arrive when nobody wants them any more. Does nothing after {@link #settle} or {@link #close}, and on a refusal.
     */
    default void giveBack() {
        settle(0);
        close();
    }

    /**
     * Returns the name of the limiter that refused, which for a {@linkplain RateLimiter#chain chain} is that of a member.
     *
     * @return the name; empty when acquired
     */
    default Optional<String> refusedBy() {
        return Optional.empty();
    }

    /**
     * Returns which limiter of a {@linkplain RateLimiter#chain chain} refused, where names do not tell: those of limiters may be the
     * same, and {@link #refusedBy()} is the name of a member's member where that is a chain.
     *
     * @return the place, from 0, among the limiters that the chain was made of; empty when acquired, when the limiter is no chain,
     *     and when it was the chain itself, as while it is paused
     */
    default OptionalInt refusedAt() {
        return OptionalInt.empty();
    }

    /**
     * Returns what went wrong underneath, where {@link RefusalReason#BACKEND_UNAVAILABLE} refused.
     *
     * @return the cause; otherwise empty
     */
    default Optional<Throwable> cause() {
        return Optional.empty();
    }

    /**
     * Returns who decided: of interest where the limit is kept for several JVMs.
     *
     * @return who; {@link DecisionSource#LOCAL} for a limiter of this JVM alone
     */
    default DecisionSource source() {
        return DecisionSource.LOCAL;
    }
}
