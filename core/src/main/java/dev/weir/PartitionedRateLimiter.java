package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.limit.PolicyFactory;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Limits each key on its own, as by user, address or tenant: one {@link RateLimiter} for each, made when it is first needed.
 *
 * <pre>{@code
 * PartitionedRateLimiter<String> perUser = PartitionedRateLimiter.<String>builder(user -> Limit.of(10, ofSeconds(1)))
 *         .maximumKeys(100_000)
 *         .overflowTo(Limit.of(500, ofSeconds(1)))
 *         .build();
 * Lease lease = perUser.tryAcquire("ada", 1);
 * }</pre>
 *
 * <p><b>Memory.</b> A key costs memory only while something about it differs from a key never seen: permits that still count,
 * debt, a pause, somebody waiting, a limit of its own, having been closed. Otherwise it is forgotten, by the calls for other
 * keys: each looks at a few, and at more the more there are to forget. There is no thread and no timer. A key whose limit does
 * not begin full ({@code startingWith}) is never again like one never seen, and so is kept.
 *
 * <p><b>Too many keys.</b> {@link Builder#maximumKeys} bounds the number of keys that are kept. No key is ever dropped for
 * another, or an attacker with many keys could renew their permits at will. When there are as many, and none is found that can
 * be forgotten, a further key is refused, as {@link RefusalReason#EXHAUSTED}, whether it was to wait or not; the time to retry
 * is that of the first key that can be forgotten, of those looked at. Or it shares one limiter with all further keys, if
 * {@link Builder#overflowTo} says so.
 *
 * <p>All methods may be called from any thread; none blocks. The limit function is called with nothing held, on the thread
 * that needs the limit, and possibly on several for the same key at once, of which one wins; what it throws goes to the
 * caller, and the next call for the key starts afresh. Where the limiter of a key is the member of a {@link RateLimiter#chain
 * chain}, it is also called for those who wait in the chain, and meanwhile no other of them is served; what it throws then is
 * the {@link Lease#cause() cause} of a refusal. Keys are used as in a {@link java.util.Map}.
 *
 * <p>Missing arguments are a {@link NullPointerException}, permits that do not fit the limit of the key an
 * {@link IllegalArgumentException}, calls after {@link #close()} an {@link IllegalStateException}.
 *
 * @param <K> the type of the keys
 */
public interface PartitionedRateLimiter<K> extends AutoCloseable {

    /**
     * Returns limiters that keep the same limit for every key, each on its own.
     *
     * @param limit what to keep for each key
     * @param <K> the type of the keys
     * @return a new partitioned limiter, without a bound on the number of keys
     */
    static <K> PartitionedRateLimiter<K> of(Limit limit) {
        Objects.requireNonNull(limit, "limit");
        Builder<K> sameForAll = builder(key -> limit);
        return sameForAll.name(limit.toString()).build();
    }

    /**
     * Starts a partitioned limiter whose limit depends on the key.
     *
     * @param limitOf gives the limit of a key, each time that the key comes up and nothing is known of it
     * @param <K> the type of the keys
     * @return a builder
     */
    static <K> Builder<K> builder(Function<? super K, Limit> limitOf) {
        return new PartitionTableBuilder<>(limitOf);
    }

    /**
     * Returns the limiter of a key. It stays valid for as long as this partitioned limiter: a key that is forgotten
     * comes back fresh, which is what it was when it was forgotten; only the windows of a
     * {@link dev.weir.limit.SlidingWindowCounter} and the steps of a bucket that is refilled in steps begin anew with it. All
     * limiters of one key are equal and do the same, however often they are asked for.
     *
     * <p>{@link RateLimiter#close() Closing} it, {@linkplain RateLimiter#reconfigure reconfiguring} it and
     * {@linkplain RateLimiter#pauseFor pausing} it concern this key and, but for the pause once it is over, keep it from ever
     * being forgotten. For a key that has no limiter of its own because there are too many, all three do nothing; a
     * {@linkplain RateLimiter#charge charge} then goes to the limiter it shares, if any. Its {@link RateLimiter#name() name}
     * is that of all keys together, and its {@linkplain RateLimiter#statistics statistics} begin anew with a key that comes
     * back.
     *
     * @param key the key
     * @return its limiter
     */
    RateLimiter forKey(K key);

    /**
     * Takes permits of a key now, all or none.
     *
     * @param key the key
     * @param permits as for {@link RateLimiter#tryAcquire(int)}
     * @return the answer
     */
    Lease tryAcquire(K key, int permits);

    /**
     * Takes permits of a key as soon as its limit and those ahead allow.
     *
     * @param key the key
     * @param permits as for {@link RateLimiter#acquire(int)}
     * @return the answer to come, as by {@link RateLimiter#acquire(int)}
     */
    CompletableFuture<Lease> acquire(K key, int permits);

    /**
     * Returns how many keys are kept, after forgetting all that can be. Takes time in proportion to their number.
     *
     * @return the number of keys
     */
    long keyCount();

    /**
     * Ends the limiters of all keys: whoever waits gets a refused lease ({@link RefusalReason#CLOSED}), and later requests
     * throw {@link IllegalStateException}. Leases that are out may still be settled and closed. Idempotent.
     */
    @Override
    void close();

    /**
     * Settings of a partitioned limiter to be. They hold for each key on its own: a queue limit bounds the queue of each.
     *
     * @param <K> the type of the keys
     */
    interface Builder<K> {

        /**
         * Sets the name, of all keys together.
         *
         * @param name what errors and meters show
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
         * Sets who goes first among those that wait for the same key.
         *
         * @param order unless set, oldest first
         * @return this builder
         */
        Builder<K> queueOrder(QueueOrder order);

        /**
         * Bounds the wait.
         *
         * @param maxWait as for {@link RateLimiter.Builder#maxWait}
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        Builder<K> maxWait(Duration maxWait);

        /**
         * Sets the clock and timer.
         *
         * @param timeSource unless set, {@link TimeSource#system()}
         * @return this builder
         */
        Builder<K> timeSource(TimeSource timeSource);

        /**
         * Sets who watches, all keys together.
         *
         * @param observer unless set, nobody
         * @return this builder
         */
        Builder<K> observer(RateLimiterObserver observer);

        /**
         * Sets who makes the arithmetic of each key, where it is not to be that of its limit.
         *
         * @param policies unless set, {@link Limit#newPolicy}
         * @return this builder
         */
        Builder<K> policies(PolicyFactory policies);

        /**
         * Bounds the number of keys that are kept, and so the memory.
         *
         * @param keys at least 1; unless set, no bound
         * @return this builder
         * @throws IllegalArgumentException if less than 1
         */
        Builder<K> maximumKeys(int keys);

        /**
         * Lets all keys beyond {@linkplain #maximumKeys the maximum} share one limiter, instead of refusing them. Without a maximum
         * there are no such keys, and this has no effect.
         *
         * @param sharedByAllFurtherKeys the limit of that limiter
         * @return this builder
         */
        Builder<K> overflowTo(Limit sharedByAllFurtherKeys);

        /**
         * Makes the partitioned limiter.
         *
         * @return a new partitioned limiter
         */
        PartitionedRateLimiter<K> build();
    }
}
