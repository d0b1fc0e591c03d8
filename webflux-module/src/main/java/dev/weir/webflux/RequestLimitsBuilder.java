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
 * The settings that all limits of incoming requests have in common. Unless set otherwise, a request costs one permit, is refused
 * rather than wait, and the answer carries no header fields but {@code Retry-After}.
 *
 * <p>Several limits for the same request are all or nothing: what one of them refuses costs nothing at the others. They are asked
 * in the order in which they were added; one that two keys lead to, once. The functions are called on the thread that brings the request, and must not block.
 *
 * @param <B> the builder itself
 */
public abstract class RequestLimitsBuilder<B extends RequestLimitsBuilder<B>> {

    final List<LimitSource> sources = new ArrayList<>();
    private final List<RateLimiter> shared = new ArrayList<>();
    ToIntFunction<ServerWebExchange> cost = exchange -> 1;

    @Nullable
    ToIntFunction<ServerWebExchange> actualCost;

    /** Null for no bound. */
    @Nullable
    Duration maxWait = Duration.ZERO;

    HeaderStyle style = HeaderStyle.NONE;

    /** Not for others to extend. */
    RequestLimitsBuilder() {}

    abstract B self();

    /**
     * Adds a limit that all requests share. Its refusals are 429: the quota is the clients'.
     *
     * @param limiter the limiter to ask
     * @return this builder
     */
    public B limit(RateLimiter limiter) {
        return add(limiter, false);
    }

    /**
     * Adds a limit that protects this server, such as one of concurrency. Its refusals are 503: there is no room, whoever asks.
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
     * Adds a limit for each key. Requests without a key share one.
     *
     * @param key who a request counts for
     * @param limiters the limiters to ask; with {@code maximumKeys} and {@code overflowTo} where keys come from strangers
     * @return this builder
     */
    public B limit(RequestKey key, PartitionedRateLimiter<String> limiters) {
        return limit(key, limiters, WithoutKey.SHARE);
    }

    /**
     * Adds a limit for each key.
     *
     * @param key who a request counts for
     * @param limiters the limiters to ask; with {@code maximumKeys} and {@code overflowTo} where keys come from strangers
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
     * Sets what a request costs, in permits of each limit; a limit that {@code countingCalls} takes one all the same.
     *
     * @param permits zero passes without asking, though an actual cost is charged; more than a limit ever grants is refused for
     *     good; below zero fails the request with {@link IllegalArgumentException}
     * @return this builder
     */
    public B cost(ToIntFunction<ServerWebExchange> permits) {
        this.cost = Objects.requireNonNull(permits, "permits");
        return self();
    }

    /**
     * Sets what a request has cost once its response is over, however it ended: the difference to the cost that it was let
     * pass for is charged or given back. What cannot be told changes nothing.
     *
     * @param permits the actual cost, zero or more
     * @return this builder
     */
    public B actualCost(ToIntFunction<ServerWebExchange> permits) {
        this.actualCost = Objects.requireNonNull(permits, "permits");
        return self();
    }

    /**
     * Lets requests wait for their turn, in the queues of the limiters: bound those. No thread waits. A client that
     * disconnects leaves the queue.
     *
     * @return this builder
     */
    public B waiting() {
        this.maxWait = null;
        return self();
    }

    /**
     * Lets requests wait for their turn, within a bound.
     *
     * @param longest a request whose turn would come later is refused at once
     * @return this builder
     */
    public B waiting(Duration longest) {
        Objects.requireNonNull(longest, "longest");
        if (longest.isNegative()) {
            throw new IllegalArgumentException("longest must not be negative, but is " + longest);
        }
        this.maxWait = longest;
        return self();
    }

    /**
     * Sets the header fields that tell about the limits, with what passes and with what is refused.
     *
     * @param headers which
     * @return this builder
     */
    public B headers(HeaderStyle headers) {
        this.style = Objects.requireNonNull(headers, "headers");
        return self();
    }

    RequestLimits limits() {
        if (sources.isEmpty()) {
            throw new IllegalArgumentException("there must be at least 1 limit, but there are 0");
        }
        if (!shared.isEmpty()) {
            RateLimiter.chain(
                    shared.toArray(RateLimiter[]::new)); // as for each request, which is too late to be refused
        }
        return new RequestLimits(this);
    }
}
