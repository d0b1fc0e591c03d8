package dev.weir.webflux;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;

/**
 * The settings that all builders of limits for incoming requests have in common. By default a request costs one permit and is
 * refused rather than made to wait, and responses carry no header fields about limits, except {@code Retry-After} in a refusal.
 * Where the permits are kept in a store that has to be asked first, the request waits for its answer, at most twice the deadline
 * of the store; with several limits only if that is set, see {@link #waiting(Duration)}.
 *
 * <p>Several limits for one request are all or nothing: if one of them refuses, nothing is taken from the others. They are asked in
 * the order in which they were added; a limiter to which two keys lead is asked once. The functions are called on the thread that
 * processes the request, that of the actual cost on the one that ends or cancels the response; they must not block.
 *
 * @param <B> the builder itself
 */
public abstract class RequestLimitsBuilder<B extends RequestLimitsBuilder<B>> {

    final List<LimitSource> sources = new ArrayList<>();
    private final List<RateLimiter> shared = new ArrayList<>();
    ToIntFunction<ServerWebExchange> cost = exchange -> 1;

    @Nullable
    ToIntFunction<ServerWebExchange> actualCost;

    /** The longest wait; null for no bound. */
    @Nullable
    Duration maxWait = Duration.ZERO;

    HeaderStyle style = HeaderStyle.NONE;

    /** Writes refusals; null for problems. */
    @Nullable
    RefusalWriter writer;

    /** Not to be extended outside of this package. */
    RequestLimitsBuilder() {}

    abstract B self();

    /**
     * Adds a quota that all requests share. Its refusals have status 429.
     *
     * @param limiter the limiter to ask
     * @return this builder
     */
    public B limit(RateLimiter limiter) {
        return add(limiter, false);
    }

    /**
     * Adds a limit that protects this server, such as a concurrency limit. Its refusals have status 503.
     *
     * @param limiter the limiter to ask
     * @return this builder
     */
    public B protect(RateLimiter limiter) {
        return add(limiter, true);
    }

    private B add(RateLimiter limiter, boolean protectsServer) {
        shared.add(Objects.requireNonNull(limiter, "limiter"));
        sources.add(LimitSource.single(limiter, protectsServer));
        return self();
    }

    /**
     * Adds a limit for each key. All requests without a key share one.
     *
     * @param key determines the key of a request
     * @param limiters the limiters to ask, whose limit function gets keys as they are kept, see {@link RequestKey#kept}, and an empty
     *     one for requests that share a limit without a key; set {@code maximumKeys} and {@code overflowTo} if clients can choose
     *     their keys
     * @return this builder
     */
    public B limit(RequestKey key, PartitionedRateLimiter<String> limiters) {
        return limit(key, limiters, WithoutKey.SHARE);
    }

    /**
     * Adds a limit for each key.
     *
     * @param key determines the key of a request
     * @param limiters the limiters to ask, whose limit function gets keys as they are kept, see {@link RequestKey#kept}, and with
     *     {@link WithoutKey#SHARE} an empty one for all requests without a key; set {@code maximumKeys} and {@code overflowTo} if
     *     clients can choose their keys
     * @param withoutKey what happens to requests without a key
     * @return this builder
     */
    public B limit(RequestKey key, PartitionedRateLimiter<String> limiters, WithoutKey withoutKey) {
        sources.add(LimitSource.perKey(
                Objects.requireNonNull(limiters, "limiters"),
                Objects.requireNonNull(key, "key"),
                Objects.requireNonNull(withoutKey, "withoutKey")));
        return self();
    }

    /**
     * Sets what a request costs, in permits of each limit; a limit made by {@code countingCalls} counts each request that costs
     * something as one.
     *
     * @param permits zero passes without asking for permits or being counted, but the actual cost is charged; more than a limit ever
     *     grants is refused without {@code Retry-After}; a negative cost fails the request with {@link IllegalArgumentException};
     *     not called for a request that no limit counts
     * @return this builder
     */
    public B cost(ToIntFunction<ServerWebExchange> permits) {
        this.cost = Objects.requireNonNull(permits, "permits");
        return self();
    }

    /**
     * Sets what a request has actually cost, evaluated when its response has completed, failed or been cancelled, on the thread that
     * completes, fails or cancels it: the difference to the original cost is charged or given back. If the function throws, nothing
     * is changed.
     *
     * <p>If an error leaves the handler, the response has no status yet, as it gets that further out. To count by status, set it where
     * the error passes, in a filter behind that of the limits: {@code chain.filter(exchange).doOnError(...)}.
     *
     * @param permits the actual cost, zero or more
     * @return this builder
     */
    public B actualCost(ToIntFunction<ServerWebExchange> permits) {
        this.actualCost = Objects.requireNonNull(permits, "permits");
        return self();
    }

    /**
     * Lets requests wait for permits, in the queues of the limiters, whose length should be bounded. No thread is blocked. If a
     * client disconnects, and the server says so, its request leaves the queue.
     *
     * @return this builder
     */
    public B waiting() {
        this.maxWait = null;
        return self();
    }

    /**
     * Lets requests wait for permits, for a bounded time.
     *
     * @param longest the longest wait; a request that would have to wait longer is refused at once. For several limits of which one
     *     is kept in a store it should be at least twice the deadline of the store, so that its answer can arrive
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    public B waiting(Duration longest) {
        this.maxWait = Arguments.notNegative(longest, "longest");
        return self();
    }

    /**
     * Sets the header fields that inform clients about the limits, in responses to granted and refused requests.
     *
     * @param headers the style of the fields
     * @return this builder
     */
    public B headers(HeaderStyle headers) {
        this.style = Objects.requireNonNull(headers, "headers");
        return self();
    }

    /**
     * Sets who writes the responses to refused requests, by default problems of RFC 9457.
     *
     * @param responses writes them in a format of the application's own
     * @return this builder
     */
    public B refusals(RefusalWriter responses) {
        this.writer = Objects.requireNonNull(responses, "responses");
        return self();
    }

    RequestLimits limits() {
        if (sources.isEmpty()) {
            throw new IllegalArgumentException("there must be at least 1 limit, but there are 0");
        }
        if (!shared.isEmpty()) {
            // A limiter that is there twice fails now, rather than at each request.
            RateLimiter.chain(shared.toArray(RateLimiter[]::new));
        }
        return new RequestLimits(this);
    }
}
