package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.limit.PolicyFactory;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Hands out permits at a limited rate and lets those who must wait do so without a thread.
 *
 * <pre>{@code
 * RateLimiter limiter = RateLimiter.builder(Limit.of(100, ofMinutes(1))).name("search").queueLimit(1_000).build();
 *
 * Lease now = limiter.tryAcquire();
 * String answer = now.isAcquired() ? "go on" : "come back in " + now.retryAfter().orElseThrow();
 * CompletableFuture<Lease> soon = limiter.acquire(3);
 * }</pre>
 *
 * <p>Three ways to ask, by what the caller can do with the answer:
 *
 * <ul>
 *   <li>{@link #tryAcquire()} answers now: permits or a refusal;
 *   <li>{@link #acquire()} answers with a future, after a wait in the queue where need be;
 *   <li>{@link #acquire(int, PermitListener)} is the same with a callback, and the least memory for a waiting request.
 * </ul>
 *
 * <p>A refusal is a {@link Lease} that says why and when to try again, never an exception. Exceptions mean misuse:
 * {@link IllegalArgumentException} for permits below zero or above the capacity of the limit, {@link NullPointerException}
 * for a missing argument, {@link IllegalStateException} after {@link #close()}.
 *
 * <p>Asking for zero permits probes whether anything is available: {@code tryAcquire(0)} ignores the queue, and
 * {@code acquire(0)} waits only while nothing is available and takes no room.
 *
 * <p>All methods may be called from any thread; none blocks.
 */
public interface RateLimiter extends AutoCloseable {

    /**
     * Returns a limiter that admits at most {@code permits} in any interval of length {@code period}.
     *
     * @param permits the most that any such interval admits
     * @param period the length of the interval
     * @return a new limiter
     * @see Limit#of
     */
    static RateLimiter of(int permits, Duration period) {
        return of(Limit.of(permits, period));
    }

    /**
     * Returns a limiter that keeps a limit, on the time of this machine, with a queue without bound.
     *
     * @param limit what to keep
     * @return a new limiter
     */
    static RateLimiter of(Limit limit) {
        return builder(limit).build();
    }

    /**
     * Starts a limiter with other than the usual settings.
     *
     * @param limit what to keep
     * @return a builder
     */
    static Builder builder(Limit limit) {
        return new PermitEngineBuilder(limit);
    }

    /**
     * Makes several limiters one: a request passes when each of them grants it at the same moment. What one of them refuses,
     * or what is cancelled, leaves the others as if they had never been asked, and {@link Lease#refusedBy()} says which one
     * refused. While the one makes a request wait, nothing is held at the others.
     *
     * <p>Observers of a member hear what it answered: a request that one member granted and another then refused is told as
     * acquired by the first, though its permits have gone back and no statistics count it. One that leaves the queue of a member
     * for that of another is told as cancelled.
     *
     * <p>Requests wait in a queue of the chain, oldest first. Only the oldest stands in the queue of a member, where its place is
     * that of the time at which the chain was asked. So of those who want the same, be it through other chains, who asked first
     * goes first.
     *
     * <p>Closing the chain closes none of its members; it is paused apart from them and cannot be reconfigured; what is charged to
     * it is charged to each. For several limits of one limiter use {@link Limit#allOf}, and for limits of a fleet always: a chain
     * has to return over the network what one member granted while it asks the next.
     *
     * @param limiters at least one, each once
     * @return the chain
     * @throws IllegalArgumentException if there is none, or one of them more than once, be it in a chain that is a member
     */
    static RateLimiter chain(RateLimiter... limiters) {
        Objects.requireNonNull(limiters, "limiters");
        for (int i = 0; i < limiters.length; i++) {
            if (limiters[i] == null) {
                throw new NullPointerException("limiters[" + i + "]");
            }
        }
        return new Chain(List.of(limiters));
    }

    /**
     * Returns the name, which errors and meters show.
     *
     * @return the name; unless set, the limit as {@code toString} tells it
     */
    String name();

    /**
     * Returns the limit that is kept.
     *
     * @return the limit, as last {@linkplain #reconfigure set}
     */
    Limit limit();

    /**
     * Takes one permit now, or is refused.
     *
     * @return the answer
     */
    default Lease tryAcquire() {
        return tryAcquire(1);
    }

    /**
     * Takes permits now, all or none. Overtakes nobody who waits in a queue that is oldest-first.
     *
     * @param permits how many; zero takes none and tells whether anything is available
     * @return the answer
     */
    Lease tryAcquire(int permits);

    /**
     * Takes permits now and for good, all or none, without a lease: for hot paths that settle nothing and close nothing.
     *
     * @param permits how many; zero takes none and tells whether anything is available
     * @return true if the permits were taken, exactly as by {@link #tryAcquire(int)}; false if they were not, which refuses
     *     nobody and is counted nowhere: ask by another method. Always false where permits come back by closing leases, and for
     *     a {@linkplain #chain chain}, which does not even look at the number
     * @throws IllegalArgumentException if {@code permits} is negative or more than the capacity of the limit
     */
    default boolean tryConsume(int permits) {
        return false;
    }

    /**
     * Takes one permit as soon as the limit and those ahead allow.
     *
     * @return as {@link #acquire(int)}
     */
    default CompletableFuture<Lease> acquire() {
        return acquire(1);
    }

    /**
     * Takes permits as soon as the limit and those ahead allow.
     *
     * @param permits how many
     * @return the answer to come, never exceptional for a refusal. Cancelling it, or completing it in any other way, leaves
     *     the queue; permits that arrive too late are given back. Completed on the threads that
     *     {@link PermitListener#onLease} names
     */
    CompletableFuture<Lease> acquire(int permits);

    /**
     * Takes permits as soon as the limit and those ahead allow.
     *
     * @param permits how many
     * @param listener hears the answer, before this method returns if it is there at once and no other listener is being told on
     *     this thread
     * @return the request, to cancel it by
     */
    PermitRequest acquire(int permits, PermitListener listener);

    /**
     * Takes permits as soon as the limit and those ahead allow, within a bound of this request's own.
     *
     * <p>An implementation that leaves this as it is here refuses when the time is up, on the {@linkplain TimeSource#system()
     * time of this machine}, with what {@link #tryAcquire(int)} then answers; those of this library refuse at once, with
     * {@link RefusalReason#MAX_WAIT}, when the wait cannot fit.
     *
     * @param permits how many
     * @param maxWait the longest wait; the limiter's own bound holds beside it, zero refuses instead of waiting
     * @param listener hears the answer, possibly before this method returns
     * @return the request, to cancel it by
     * @throws IllegalArgumentException if the permits are negative or more than the limit ever grants at once, or the wait is
     *     negative
     */
    default PermitRequest acquire(int permits, Duration maxWait, PermitListener listener) {
        long nanos = Settings.nanos(maxWait, "maxWait");
        return BoundedRequest.start(this, permits, nanos, TimeSource.system(), listener);
    }

    /**
     * Takes permits unconditionally, for a cost that is known only afterwards: bytes, tokens. Where they are not there, the
     * limit runs into debt, which time repays. Where permits come back by closing leases, this does nothing.
     *
     * @param permits how many, possibly more than the capacity
     * @throws IllegalArgumentException if negative
     */
    void charge(int permits);

    /**
     * Lets nobody pass until the duration is over, as when a server says {@code Retry-After}. Requests keep their places in
     * the queue. Of several pauses the one that ends last holds.
     *
     * @param duration from now; zero does nothing
     * @throws IllegalArgumentException if negative
     */
    void pauseFor(Duration duration);

    /**
     * Changes the limit to another of the same kind. What was granted stays granted and counts against the new limit;
     * waiting requests keep their places and are timed anew, except that those larger than the new limit are refused.
     *
     * @param limit the new limit
     * @throws IllegalArgumentException if it is of another kind, and for a {@linkplain #chain chain}; nothing has changed then
     */
    void reconfigure(Limit limit);

    /**
     * Returns an executor that starts tasks on another one, at the limited rate: each takes a permit when it is handed over,
     * waits for it in the queue where need be, and closes the lease when it ends. Nothing blocks.
     *
     * <p>Tasks go on to the other executor on the threads that {@link PermitListener#onLease} names. A task that this limiter
     * refuses is a {@link java.util.concurrent.RejectedExecutionException} whose cause tells why: thrown by {@code execute} if
     * it is refused at once, as when the queue is full or the limiter closed. If it is refused later, as when the limiter is
     * closed while the task waits, it is dropped and the exception goes to the uncaught exception handler of the thread that
     * brings the refusal. So does what the other executor throws; the permit is given back then.
     *
     * @param delegate where tasks run; one that silently discards tasks, rather than throw, keeps their leases from being
     *     closed
     * @return the executor
     */
    default Executor executor(Executor delegate) {
        return new PacedExecutor(this, delegate);
    }

    /**
     * Returns how many permits could be taken now, were nobody waiting.
     *
     * @return the number; negative while in debt
     */
    long availablePermits();

    /**
     * Returns what the limiter has done and is doing.
     *
     * @return the figures
     */
    RateLimiterStatistics statistics();

    /**
     * Returns how long the limiter has been idle: the time since the last permit that was taken stopped counting.
     *
     * @return the duration; empty while any permit is out, while somebody waits, and during a pause
     */
    Optional<Duration> idleDuration();

    /**
     * Ends the limiter: whoever waits gets a refused lease ({@link RefusalReason#CLOSED}). Whoever asks later, charges, pauses or
     * reconfigures gets an {@link IllegalStateException}; what can be read may still be read. Leases that are out may still be
     * settled and closed. Idempotent.
     */
    @Override
    void close();

    /** Settings of a limiter to be. */
    interface Builder {

        /**
         * Sets the name.
         *
         * @param name what errors and meters show
         * @return this builder
         */
        Builder name(String name);

        /**
         * Bounds the queue.
         *
         * @param permits the most that waiting requests may ask for in sum; zero lets nobody wait; unless set,
         *     {@link Integer#MAX_VALUE}
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        Builder queueLimit(int permits);

        /**
         * Sets who goes first among those that wait.
         *
         * @param order unless set, oldest first
         * @return this builder
         */
        Builder queueOrder(QueueOrder order);

        /**
         * Bounds the wait: a request is refused at once when its wait cannot fit, and at the latest when the time is up.
         *
         * @param maxWait the longest wait; zero lets nobody wait; unless set, no bound
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        Builder maxWait(Duration maxWait);

        /**
         * Sets the clock and timer.
         *
         * @param timeSource unless set, {@link TimeSource#system()}
         * @return this builder
         */
        Builder timeSource(TimeSource timeSource);

        /**
         * Sets who watches.
         *
         * @param observer unless set, nobody
         * @return this builder
         */
        Builder observer(RateLimiterObserver observer);

        /**
         * Sets who makes the arithmetic, where it is not to be the limit's own.
         *
         * @param policies unless set, {@link Limit#newPolicy}
         * @return this builder
         */
        Builder policies(PolicyFactory policies);

        /**
         * Makes the limiter.
         *
         * @return a new limiter
         */
        RateLimiter build();
    }
}
