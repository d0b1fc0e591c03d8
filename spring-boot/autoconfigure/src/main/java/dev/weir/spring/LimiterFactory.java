package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;

/**
 * Creates the limiters of an application from their definitions. A bean of this type replaces the default one, which creates
 * limiters that live in this JVM or share their limits through Redis, so that limits can be kept in any other backend.
 */
public interface LimiterFactory {

    /**
     * Creates the limiter of a limit without a key.
     *
     * @param definition of the limit
     * @return a new limiter with the name of the definition
     */
    RateLimiter limiter(LimitDefinition definition);

    /**
     * Creates the partitioned limiter of a limit with a key.
     *
     * @param definition of the limit
     * @return a new partitioned limiter with the name of the definition
     */
    PartitionedRateLimiter<String> partitioned(LimitDefinition definition);
}
