package dev.weir.benchmarks.crowd;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;

/** Maps of limiters of other libraries. */
final class PeerKeys {

    private PeerKeys() {}

    static Keyed resilience4j() {
        RateLimiterConfig config = RateLimiterConfig.custom()
                .limitForPeriod(OurKeys.PERMITS)
                .limitRefreshPeriod(OurKeys.PERIOD)
                .timeoutDuration(Duration.ZERO)
                .build();
        return new MapOfKeys<>(
                key -> io.github.resilience4j.ratelimiter.RateLimiter.of("peer", config),
                io.github.resilience4j.ratelimiter.RateLimiter::acquirePermission);
    }

    static Keyed bucket4j() {
        return new MapOfKeys<>(
                key -> Bucket.builder()
                        .addLimit(
                                limit -> limit.capacity(OurKeys.PERMITS).refillGreedy(OurKeys.PERMITS, OurKeys.PERIOD))
                        .withNanosecondPrecision()
                        .build(),
                bucket -> bucket.tryConsume(1));
    }

    /** A second has no permit to spare of ten a day, but the first is always granted, and no more are asked for. */
    static Keyed guava() {
        return new MapOfKeys<>(
                key -> RateLimiter.create((double) OurKeys.PERMITS / OurKeys.PERIOD.toSeconds()),
                RateLimiter::tryAcquire);
    }

    static Keyed failsafe() {
        return new MapOfKeys<>(
                key -> dev.failsafe.RateLimiter.burstyBuilder(OurKeys.PERMITS, OurKeys.PERIOD)
                        .build(),
                dev.failsafe.RateLimiter::tryAcquirePermit);
    }
}
