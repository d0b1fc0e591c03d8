package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;

/** Watches the limiters of an application, for meters. All default to nothing. */
public interface LimiterWatch {

    /**
     * Returns who watches what happens at a limiter that is about to be made.
     *
     * @param name of the limiter
     * @return the observer
     */
    default RateLimiterObserver observer(String name) {
        return new RateLimiterObserver() {};
    }

    /**
     * Hears of a limiter that has been made.
     *
     * @param limiter the limiter
     */
    default void made(RateLimiter limiter) {}

    /**
     * Hears of a partitioned limiter that has been made.
     *
     * @param name of the limiter
     * @param limiters one for each key
     */
    default void made(String name, PartitionedRateLimiter<String> limiters) {}
}
