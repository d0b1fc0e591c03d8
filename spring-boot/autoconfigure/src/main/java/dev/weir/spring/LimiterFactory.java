package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;

/**
 * Makes the limiters of an application from their definitions. A bean of this type takes the place of the usual one, which makes
 * limiters that live in this JVM or share their limits through Redis: so limits can be kept anywhere.
 */
public interface LimiterFactory {

    /**
     * Makes a limiter that all requests share.
     *
     * @param definition of the limit
     * @return a new limiter of that name
     */
    RateLimiter limiter(LimitDefinition definition);

    /**
     * Makes a limiter for each key.
     *
     * @param definition of the limit
     * @return a new partitioned limiter of that name
     */
    PartitionedRateLimiter<String> partitioned(LimitDefinition definition);
}
