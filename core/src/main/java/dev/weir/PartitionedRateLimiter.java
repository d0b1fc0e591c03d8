package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.limit.PolicyFactory;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Limits each key separately, for example each user, address or tenant: one {@link RateLimiter} per key, created when it is first
 * needed.
 *
 * <pre>{@code
 * PartitionedRateLimiter<String> perUser = PartitionedRateLimiter.<String>builder(user -> Limit.of(10, ofSeconds(1)))
 *         .maximumKeys(100_000)
 *         .overflowTo(Limit.of(500, ofSeconds(1)))
 *         .build();
 * Lease lease = perUser.tryAcquire("ada", 1);
 * }</pre>
 *
 * <p><b>Memory.</b> A key uses memory only while its state differs from that of a key never seen: permits that still count, debt,
 * a pause, waiting requests, a limit of its own, or having been closed. Otherwise it is forgotten. Calls for other keys do that
 * work: each examines a few keys, and more of them the more there are to forget. There is no thread and no timer. A key whose
 * limit does not start full ({@code startingWith}) never equals a new one again, and so is kept.
 *
 * <p><b>Too many keys.</b> {@link Builder#maximumKeys} limits the number of keys that are kept. No key is ever dropped for
 * another, because an attacker with many keys could then renew their permits at will. When the maximum is reached and no key is
 * found that can be forgotten, a further key is refused as {@link RefusalReason#EXHAUSTED}, even if the request could have
 * waited; the time to retry is when the first of the keys examined can be forgotten. If {@link Builder#overflowTo} is set, all
 * further keys share one limiter instead.
 *
 * <p>All methods may be called from any thread; none blocks. The limit function is called without any lock held, on the thread
 * that needs the limit. It may run on several threads at once for the same key; one result is used. What it throws goes to the
 * caller, and the next call for the key starts over. If the limiter of a key is a member of a {@link RateLimiter#chain chain},
 * the function is also called on behalf of requests that wait in the chain, and no other request of that chain is served
 * meanwhile; what it throws then is the {@link Lease#cause() cause} of a refusal. Keys must be suitable as keys of a
 * {@link java.util.Map}.
 *
 * <p>Missing arguments cause a {@link NullPointerException}, permits that do not fit the limit of the key, or
 * the one that keys beyond the maximum share, an {@link IllegalArgumentException}, and calls after {@link #close()} an {@link IllegalStateException}.
 *
 * @param <K> the type of the keys
 */
public interface PartitionedRateLimiter<K> extends AutoCloseable {

    /**
     * Returns a partitioned limiter that enforces the same limit for every key separately. It bounds neither the number of keys nor
     * the wait or the queue of any: for keys that others choose, use {@link #builder}.
     *
     * @param limit the limit of each key
     * @param <K> the type of the keys
     * @return a new partitioned limiter
     */
    static <K> PartitionedRateLimiter<K> of(Limit limit) {
        Objects.requireNonNull(limit, "limit");
        Builder<K> sameForAll = builder(key -> limit);
        return sameForAll.name(limit.toString()).build();
    }

    /**
     * Returns a builder for a partitioned limiter whose limit depends on the key.
     *
     * @param limitOf returns the limit of a key; called each time that a key is used and nothing is known about it
     * @param <K> the type of the keys
     * @return a builder
     */
    static <K> Builder<K> builder(Function<? super K, Limit> limitOf) {
        return new PartitionTableBuilder<>(limitOf);
    }

    /**
     * Returns the limiter of a key. It stays valid for as long as this partitioned limiter: a key that was forgotten is created
     * again in its initial state, which is the state it was in when it was forgotten. Only the windows of a
     * {@link dev.weir.limit.SlidingWindowCounter} and the steps of a bucket that is refilled in steps start anew. All limiters
     * returned for one key are equal and behave as one.
     *
     * <p>If the key has no limiter yet, this creates it, as a request would: it calls the limit function, and the key counts among
     * the {@link Builder#maximumKeys} until it is forgotten. If there is no room for the key, each of its requests looks for some again.
     *
     * <p>{@link RateLimiter#close() Closing} it, {@linkplain RateLimiter#reconfigure reconfiguring} it and
     * {@linkplain RateLimiter#pauseFor pausing} it affect this key only and keep it from being forgotten: a pause until it is
     * over, the other two for ever. For a key that has no limiter of its own because there are too many, all three do nothing,
     * and a {@linkplain RateLimiter#charge charge} goes to the shared limiter, if any. Its {@link RateLimiter#name() name} is
     * that of the partitioned limiter. Its {@linkplain RateLimiter#statistics statistics} start anew when a forgotten key is
     * created again.
     *
     * @param key the key
     * @return its limiter
     */
    RateLimiter forKey(K key);

    /**
     * Takes permits of a key if they are available now, all or none.
     *
     * @param key the key
     * @param permits as for {@link RateLimiter#tryAcquire(int)}
     * @return the answer
     */
    Lease tryAcquire(K key, int permits);

    /**
     * Takes permits of a key as soon as its limit and the requests ahead allow.
     *
     * @param key the key
     * @param permits as for {@link RateLimiter#acquire(int)}
     * @return a future of the answer, as returned by {@link RateLimiter#acquire(int)}
     */
    CompletableFuture<Lease> acquire(K key, int permits);

    /**
     * Returns how many keys are kept, after forgetting all that can be forgotten. Takes time proportional to their number.
     *
     * @return the number of keys
     */
    long keyCount();

    /**
     * Closes the limiters of all keys: waiting requests get a refused lease ({@link RefusalReason#CLOSED}), and later requests
     * throw {@link IllegalStateException}. Leases already granted may still be settled and closed. Idempotent.
     */
    @Override
    void close();

    /**
     * Collects the settings of a new partitioned limiter. They apply to each key separately: a queue limit bounds the queue of
     * each key.
     *
     * @param <K> the type of the keys
     */
    interface Builder<K> {

        /**
         * Sets the name, which is the same for all keys.
         *
         * @param name appears in errors and meters; {@code "partitioned"} by default
         * @return this builder
         */
        Builder<K> name(String name);

        /**
         * Bounds the queue of each key.
         *
         * @param permits as for {@link RateLimiter.Builder#queueLimit}
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        Builder<K> queueLimit(int permits);

        /**
         * Sets the order in which waiting requests of the same key are served.
         *
         * @param order the order; oldest first by default
         * @return this builder
         */
        Builder<K> queueOrder(QueueOrder order);

        /**
         * Limits the wait.
         *
         * @param maxWait as for {@link RateLimiter.Builder#maxWait}
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        Builder<K> maxWait(Duration maxWait);

        /**
         * Sets the clock and timer.
         *
         * @param timeSource the time source; {@link TimeSource#system()} by default
         * @return this builder
         */
        Builder<K> timeSource(TimeSource timeSource);

        /**
         * Sets an observer, which is the same for all keys.
         *
         * @param observer the observer; none by default
         * @return this builder
         */
        Builder<K> observer(RateLimiterObserver observer);

        /**
         * Sets the factory of the policy of each key, to replace the one that its limit creates.
         *
         * @param policies the factory; {@link Limit#newPolicy} by default
         * @return this builder
         * @throws IllegalArgumentException from builders of limits that a fleet shares, whose policies are set
         */
        Builder<K> policies(PolicyFactory policies);

        /**
         * Limits the number of keys that are kept, and so the memory.
         *
         * @param keys at least 1; unlimited by default
         * @return this builder
         * @throws IllegalArgumentException if less than 1
         */
        Builder<K> maximumKeys(int keys);

        /**
         * Makes all keys beyond {@linkplain #maximumKeys the maximum} share one limiter, instead of refusing them. Has no effect
         * without a maximum.
         *
         * <p>For these keys, the capacity of the shared limit is what a request must fit: more permits are refused with an
         * {@link IllegalArgumentException}, also if the limit of the key would allow them. So it should be no smaller than that of any key.
         *
         * @param sharedByAllFurtherKeys the limit of the shared limiter
         * @return this builder
         */
        Builder<K> overflowTo(Limit sharedByAllFurtherKeys);

        /**
         * Builds the partitioned limiter.
         *
         * @return a new partitioned limiter
         * @throws IllegalArgumentException if the capacity of the limit of {@link #overflowTo} is not positive
         */
        PartitionedRateLimiter<K> build();
    }
}
