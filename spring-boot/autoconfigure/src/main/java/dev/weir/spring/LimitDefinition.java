package dev.weir.spring;

import dev.weir.QueueOrder;
import dev.weir.limit.Limit;
import dev.weir.webflux.WithoutKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A limit as the properties define it, checked.
 *
 * @param name of the limit
 * @param limit what to keep, for each key where there are keys
 * @param key who a request counts for; null where all share one limit
 * @param withoutKey what happens to requests without a key
 * @param maximumKeys how many keys are kept
 * @param overflow what all further keys share; null where they are refused
 * @param queueLimit how many permits may be waited for
 * @param queueOrder who goes first
 * @param maxWait the longest wait; null for no bound
 * @param waiting whether requests wait rather than be refused
 */
public record LimitDefinition(
        String name,
        Limit limit,
        @Nullable String key,
        WithoutKey withoutKey,
        int maximumKeys,
        @Nullable Limit overflow,
        int queueLimit,
        QueueOrder queueOrder,
        @Nullable Duration maxWait,
        boolean waiting) {}
