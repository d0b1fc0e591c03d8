package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;

/** Callbacks for the limiters of an application, such as for metrics. The default methods do nothing. */
public interface LimiterWatch {

    /**
     * Returns the observer of a limiter that is about to be created.
     *
     * @param name of the limiter
     * @return the observer
     */
    default RateLimiterObserver observer(String name) {
        return new RateLimiterObserver() {};
    }

    /**
     * Called when a limiter has been created.
     *
     * @param limiter the limiter
     */
    default void made(RateLimiter limiter) {}

    /**
     * Called when a partitioned limiter has been created.
     *
     * @param name of the limiter
     * @param limiters the partitioned limiter
     */
    default void made(String name, PartitionedRateLimiter<String> limiters) {}
}
