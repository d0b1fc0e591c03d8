package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.webflux.WithoutKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A limit as defined by the properties, validated.
 *
 * @param name of the limit
 * @param limit the limit to enforce, for each key if there is a key
 * @param backend where its permits are kept
 * @param leaseAhead how many permits a node takes in advance from a shared backend
 * @param key the key by which requests are counted, as in the properties; null if all requests share one limit
 * @param withoutKey what happens to requests without a key
 * @param maximumKeys how many keys are kept at most
 * @param overflow the limit that all further keys share; null if they are refused
 * @param queueLimit how many permits waiting requests may ask for in total
 * @param queueOrder which waiting request is granted first
 * @param maxWait the longest wait; null for no bound
 * @param waiting whether requests wait rather than being refused
 */
public record LimitDefinition(
        String name,
        Limit limit,
        LimitBackend backend,
        int leaseAhead,
        @Nullable String key,
        WithoutKey withoutKey,
        int maximumKeys,
        @Nullable Limit overflow,
        int queueLimit,
        QueueOrder queueOrder,
        @Nullable Duration maxWait,
        boolean waiting) {

    boolean hasKey() {
        return key != null;
    }

    LimitDefinition with(Limit changed, @Nullable Limit changedOverflow) {
        return new LimitDefinition(
                name,
                changed,
                backend,
                leaseAhead,
                key,
                withoutKey,
                maximumKeys,
                changedOverflow,
                queueLimit,
                queueOrder,
                maxWait,
                waiting);
    }

    RateLimiter build(RateLimiter.Builder builder, LimiterWatch watch) {
        builder.name(name).queueLimit(queueLimit).queueOrder(queueOrder).observer(watch.observer(name));
        if (maxWait != null) {
            builder.maxWait(maxWait);
        }
        return builder.build();
    }

    PartitionedRateLimiter<String> build(PartitionedRateLimiter.Builder<String> builder, LimiterWatch watch) {
        builder.name(name)
                .maximumKeys(maximumKeys)
                .queueLimit(queueLimit)
                .queueOrder(queueOrder)
                .observer(watch.observer(name));
        if (overflow != null) {
            builder.overflowTo(overflow);
        }
        if (maxWait != null) {
            builder.maxWait(maxWait);
        }
        return builder.build();
    }
}
