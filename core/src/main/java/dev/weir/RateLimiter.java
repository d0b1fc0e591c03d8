package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.limit.PolicyFactory;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Grants permits at a limited rate. A request that has to wait does not block a thread.
 *
 * <pre>{@code
 * RateLimiter limiter = RateLimiter.builder(Limit.of(100, ofMinutes(1))).name("search").queueLimit(1_000).build();
 *
 * Lease now = limiter.tryAcquire();
 * String answer = now.isAcquired() ? "go on" : now.retryAfter().map(wait -> "come back in " + wait).orElse("come back later");
 * CompletableFuture<Lease> soon = limiter.acquire(3);
 * }</pre>
 *
 * <p>Three ways to ask for permits, depending on how the caller wants the answer:
 *
 * <ul>
 *   <li>{@link #tryAcquire()} returns at once, with permits or a refusal;
 *   <li>{@link #acquire()} returns a future, which completes after a wait in the queue if necessary, and {@link #acquireWithin} one
 *       that does not wait for longer than it may;
 *   <li>{@link #acquire(int, PermitListener)} does the same with a callback, and needs the least memory per waiting request.
 * </ul>
 *
 * <p>A refusal is a {@link Lease} that says why it was refused and when to try again, never an exception. Exceptions signal
 * misuse: {@link IllegalArgumentException} for permits below zero or above the capacity of the limit,
 * {@link NullPointerException} for a missing argument, {@link IllegalStateException} after {@link #close()}.
 *
 * <p>A request for zero permits probes whether any are available: {@code tryAcquire(0)} ignores the queue; {@code acquire(0)}
 * waits only while none are available, and takes no room in the queue. The statistics count a probe and observers hear of it, as
 * of any request; {@link #availablePermits()} only reads.
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
     * @throws IllegalArgumentException if either is not positive, or the period is longer than 2^61 - 1 nanoseconds
     * @see Limit#of
     */
    static RateLimiter of(int permits, Duration period) {
        return of(Limit.of(permits, period));
    }

    /**
     * Returns a limiter that enforces a limit, using the system clock and an unbounded queue.
     *
     * @param limit the limit to enforce
     * @return a new limiter
     */
    static RateLimiter of(Limit limit) {
        return builder(limit).build();
    }

    /**
     * Returns a builder for a limiter with other than the default settings.
     *
     * @param limit the limit to enforce
     * @return a builder
     */
    static Builder builder(Limit limit) {
        return new PermitEngineBuilder(limit);
    }

    /**
     * Combines several limiters into one: a request is granted when all of them grant it at the same moment. If one of them
     * refuses, or the request is cancelled, the others are left as if they had never been asked; {@link Lease#refusedBy()} says
     * which one refused. While a request waits for one member, it holds no permits of the others.
     *
     * <p>Requests wait in the chain's own queue, oldest first and without a bound. Only the oldest is passed to a member, with the
     * age that it has, so requests that compete for a member, even through different chains, are served in the order in which they
     * were made. {@code queueLimit}, {@code queueOrder} and {@code maxWait} of a member concern that one alone, from then on; to
     * bound the others, ask with a maximum wait, or make a chain for each request.
     *
     * <p>Observers of a member see the answers of that member. A request to the chain that is
     *
     * <ul>
     *   <li>granted by one member and then refused by another is reported as acquired at the first, although its permits were
     *       returned and its statistics do not count it;
     *   <li>moved on to another member, as that one lacks permits, is reported as cancelled at the first;
     *   <li>refused behind the oldest is reported at none: the chain refuses it, in the name of the member that makes it wait.
     * </ul>
     *
     * <p>{@link Lease#retryAfter()} tells when the last of the members would grant the request; while one is still asking a store, it
     * tells what the others know, unless that one refuses.
     *
     * <p>The name of a chain is {@code chain(a, b)}, its limit {@link Limit#allOf} of those of its members, and it has as many permits
     * available as the member with the fewest. Closing or pausing it does not close or pause its members, it cannot be reconfigured,
     * and a charge to it is charged to each member. If a member is closed, a request that waits for another one hears of it only when
     * that one has permits for it. Its clock is that of the first member of this library.
     *
     * <p>To combine several limits of one name use {@link Limit#allOf}, in a fleet always: a chain has to return permits over the
     * network when one member grants and the next refuses. A limit of a key and one of all keys need a chain, in a fleet, too.
     *
     * @param limiters at least one, each once
     * @return the chain
     * @throws IllegalArgumentException if there are none, or one of them occurs more than once, directly or within a member that
     *     is a chain
     */
    static RateLimiter chain(RateLimiter... limiters) {
        return Chain.of(limiters);
    }

    /** {@return the name, which appears in errors and meters; by default the {@code toString} of the limit it was made with} */
    String name();

    /** {@return the limit that is enforced, as last {@linkplain #reconfigure set}} */
    Limit limit();

    /**
     * Takes one permit if it is available now.
     *
     * @return the answer
     */
    default Lease tryAcquire() {
        return tryAcquire(1);
    }

    /**
     * Takes permits if they are available now, all or none. Does not overtake requests that wait in an oldest-first queue.
     *
     * @param permits how many; zero takes none and checks whether any are available
     * @return the answer
     * @throws IllegalArgumentException if {@code permits} is negative or more than the capacity of the limit
     * @throws IllegalStateException if the limiter is closed
     */
    Lease tryAcquire(int permits);

    /**
     * Takes permits if they are available now, all or none, without creating a lease: for hot paths that never settle or close
     * one. <b>Always false</b> for a {@linkplain #chain chain}, and where a limit of {@link dev.weir.limit.Concurrency concurrency}
     * takes part, alone or with others: only a lease can give back what one member granted in vain, or what a call has held. A loop
     * until it is true never ends there; use {@link #tryAcquire(int)}.
     *
     * @param permits how many; zero takes none and checks whether any are available
     * @return true if the permits were taken, exactly as by {@link #tryAcquire(int)}. On false nothing is recorded: no refusal is
     *     counted and no observer is called; to learn the reason use another method
     * @throws IllegalArgumentException if {@code permits} is negative or more than the capacity of the limit; not for a chain
     */
    default boolean tryConsume(int permits) {
        return false;
    }

    /**
     * Takes one permit as soon as the limit and the requests ahead allow.
     *
     * @return as {@link #acquire(int)}
     */
    default CompletableFuture<Lease> acquire() {
        return acquire(1);
    }

    /**
     * Takes permits as soon as the limit and the requests ahead allow.
     *
     * @param permits how many
     * @return a future of the answer, never completed exceptionally for a refusal. Cancelling it (its exception has no stack
     *     trace), or completing it in any other way, withdraws the request; permits that arrive too late are given back. Completed on
     *     the threads described at {@link PermitListener#onLease}; stages run as a {@linkplain PermitListener.Direct direct} listener does
     * @throws IllegalArgumentException if {@code permits} is negative or more than the capacity of the limit
     * @throws IllegalStateException if the limiter is closed
     */
    CompletableFuture<Lease> acquire(int permits);

    /**
     * Takes permits as soon as the limit and the requests ahead allow.
     *
     * @param permits how many
     * @param listener receives the answer: before this method returns if the answer is available immediately and no other
     *     listener is running on this thread
     * @return the request, which can be cancelled
     * @throws IllegalArgumentException if {@code permits} is negative or more than the capacity of the limit
     * @throws IllegalStateException if the limiter is closed
     */
    PermitRequest acquire(int permits, PermitListener listener);

    /**
     * Takes permits as soon as the limit and the requests ahead allow, with a maximum wait for this request alone.
     *
     * <p>This default implementation refuses when the time is up, measured by the {@linkplain TimeSource#system() system clock},
     * with the answer of {@link #tryAcquire(int)} at that time. The limiters of this library refuse at once, with
     * {@link RefusalReason#MAX_WAIT}, when the wait cannot fit.
     *
     * @param permits how many
     * @param maxWait the longest wait; the limiter's own maximum applies as well; zero refuses instead of waiting for permits. If
     *     they are kept in a store that has to be asked first, the request waits for its answer, and observers are told so
     * @param listener receives the answer, possibly before this method returns
     * @return the request, which can be cancelled
     * @throws IllegalArgumentException if the permits are negative or above the capacity of the limit, or the wait is negative
     * @throws IllegalStateException if the limiter is closed
     */
    default PermitRequest acquire(int permits, Duration maxWait, PermitListener listener) {
        long nanos = Settings.nanos(maxWait, "maxWait");
        return BoundedRequest.start(this, permits, nanos, TimeSource.system(), listener);
    }

    /**
     * Takes permits as soon as the limit and the requests ahead allow, with a maximum wait for this request alone.
     *
     * @param permits how many
     * @param maxWait as for {@link #acquire(int, Duration, PermitListener)}
     * @return a future as that of {@link #acquire(int)}; with zero, and permits that are kept here, it is already completed
     * @throws IllegalArgumentException as by {@link #acquire(int, Duration, PermitListener)}
     * @throws IllegalStateException if the limiter is closed
     */
    default CompletableFuture<Lease> acquireWithin(int permits, Duration maxWait) {
        return LeaseFuture.request(this, permits, Objects.requireNonNull(maxWait, "maxWait"));
    }

    /**
     * Takes permits unconditionally, for a cost that is known only afterwards, such as bytes or tokens. If there are too few, the
     * limit goes into debt, which time repays. Does nothing for limits that count requests, or get permits back with leases.
     *
     * @param permits how many, possibly more than the capacity
     * @throws IllegalArgumentException if negative
     */
    void charge(int permits);

    /**
     * Grants nothing until the duration is over, for example after a server answered with {@code Retry-After}. Waiting requests
     * keep their places in the queue. A request that may not wait, and {@code tryAcquire}, are refused as
     * {@link RefusalReason#PAUSED}; one whose maximum wait is shorter, as {@link RefusalReason#MAX_WAIT}. The limit is refilled
     * meanwhile, so a full burst may follow the pause. Of several pauses, the one that ends last applies. A limit that several
     * processes share is paused in this one only.
     *
     * @param duration how long from now; zero does nothing
     * @throws IllegalArgumentException if negative
     */
    void pauseFor(Duration duration);

    /**
     * Changes the limit to another of the same kind. Permits already granted stay granted and count against the new limit.
     * Waiting requests keep their places, and their waits are recomputed; those larger than the new limit are refused.
     *
     * <p>Limits are of one kind if their class is the same. In addition, a token bucket that refills in steps stays one, {@code allOf}
     * keeps the number and the kinds of its parts, in their order, and {@code countingCalls} keeps the kind of what it counts. How
     * many tokens a bucket starts with has no effect then.
     *
     * <p>Under a smaller limit of the same period, a fixed window, a {@link dev.weir.limit.SlidingWindowCounter} or a bucket takes
     * as long as it needs to bring again what was granted: after 1,000 permits a day, 100 a day grants nothing for nine or ten
     * days. Other sliding windows count each permit for one period.
     *
     * @param limit the new limit
     * @throws IllegalArgumentException if it is of another kind, and for a {@linkplain #chain chain}; nothing is changed then
     */
    void reconfigure(Limit limit);

    /**
     * Returns an executor that runs tasks on another executor at the limited rate. Each task takes a permit when it is submitted,
     * waits for it in the queue if necessary, and closes the lease when it ends. Nothing blocks.
     *
     * <p>Tasks are passed to the other executor on the threads described at {@link PermitListener#onLease}. If the limiter
     * refuses a task, the result is a {@link java.util.concurrent.RejectedExecutionException} whose cause says why. It is thrown
     * by {@code execute} if the task is refused at once, as when the queue is full or the limiter is closed. If it is refused later,
     * it is dropped, and the exception goes to the uncaught exception handler of the thread that delivers the refusal. What the other
     * executor throws is thrown or reported alike, as it is; the permit is given back unless the task had begun.
     *
     * <p>A future of a dropped task, as made by {@code CompletableFuture.supplyAsync}, never completes. If tasks may be refused, use
     * {@code acquireWithin(1, maxWait).thenApplyAsync(...)} instead: a full queue, too, may refuse after {@code execute} has returned.
     *
     * @param delegate runs the tasks; if it silently discards a task instead of throwing, the lease of that task is never closed
     * @return the executor
     */
    default Executor executor(Executor delegate) {
        return new PacedExecutor(this, delegate);
    }

    /** {@return how many permits could be taken now if no requests were waiting; negative while in debt} */
    long availablePermits();

    /** {@return counts of grants and refusals, and the present state} */
    RateLimiterStatistics statistics();

    /**
     * Returns how long the limiter has been idle: the time since the last permit taken stopped counting against the limit.
     *
     * @return the duration; empty while any permit still counts, while requests wait, and during a pause
     */
    Optional<Duration> idleDuration();

    /**
     * Closes the limiter. Waiting requests get a refused lease ({@link RefusalReason#CLOSED}). Later requests, charges, pauses and
     * reconfigurations throw {@link IllegalStateException}; methods that only read still work, as do those of a lease. Idempotent.
     */
    @Override
    void close();

    /** Collects the settings of a new limiter. */
    interface Builder {

        /**
         * Sets the name.
         *
         * @param name appears in errors and meters; by default the limit's {@code toString}
         * @return this builder
         */
        Builder name(String name);

        /**
         * Bounds the queue.
         *
         * @param permits the most that waiting requests may ask for in total; zero: none may wait; {@link Integer#MAX_VALUE} by default
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        Builder queueLimit(int permits);

        /**
         * Sets the order in which waiting requests are served.
         *
         * @param order the order; oldest first by default
         * @return this builder
         */
        Builder queueOrder(QueueOrder order);

        /**
         * Limits the wait. A request is refused at once if its wait cannot fit, and at the latest when the time is up.
         *
         * @param maxWait the longest wait; unlimited by default; zero allows none but for the answer of a store that keeps the permits
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        Builder maxWait(Duration maxWait);

        /**
         * Sets the clock and timer.
         *
         * @param timeSource the time source; {@link TimeSource#system()} by default
         * @return this builder
         */
        Builder timeSource(TimeSource timeSource);

        /**
         * Sets an observer.
         *
         * @param observer the observer; none by default
         * @return this builder
         */
        Builder observer(RateLimiterObserver observer);

        /**
         * Sets the factory of the policy, to replace the one that the limit itself creates.
         *
         * @param policies the factory; {@link Limit#newPolicy} by default
         * @return this builder
         * @throws IllegalArgumentException from builders of limits that a fleet shares, whose policies are set
         */
        Builder policies(PolicyFactory policies);

        /**
         * Builds the limiter.
         *
         * @return a new limiter
         * @throws IllegalArgumentException if the capacity of the limit is not positive
         */
        RateLimiter build();
    }
}
