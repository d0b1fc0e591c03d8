package dev.weir;

import dev.weir.limit.Limit;
import java.time.Duration;

/** A chain of two limiters, of which the second makes one wait first. */
abstract class ChainOfTwo {

    static final Duration SECOND = Duration.ofSeconds(1);

    final SteppedTime time = new SteppedTime(-7);
    final RateLimiter wide = limiter("wide", Limit.of(9, SECOND));
    final RateLimiter narrow = limiter("narrow", Limit.tokenBucket(3, 1, SECOND));
    final RateLimiter chain = RateLimiter.chain(wide, narrow);

    final RateLimiter limiter(String name, Limit limit) {
        return RateLimiter.builder(limit).name(name).timeSource(time).build();
    }
}
