package dev.weir.benchmarks.decision;

import com.google.common.util.concurrent.RateLimiter;
import dev.failsafe.Bulkhead;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.LocalBucketBuilder;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The limiters of other libraries, set up as their documentation says for a single machine. */
final class Peers {

    private Peers() {}

    static Decision resilience4j(Outcome outcome) {
        int permits = permits(outcome);
        RateLimiterConfig config = RateLimiterConfig.custom()
                .limitForPeriod(permits)
                .limitRefreshPeriod(outcome.period(permits))
                .timeoutDuration(Duration.ZERO)
                .build();
        var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of("peer", config);
        return used(outcome, limiter::acquirePermission);
    }

    static Decision resilience4jBulkhead(Outcome outcome) {
        BulkheadConfig config = BulkheadConfig.custom()
                .maxConcurrentCalls(outcome == Outcome.GRANTED ? Contender.AT_ONCE : 1)
                .maxWaitDuration(Duration.ZERO)
                .build();
        var bulkhead = io.github.resilience4j.bulkhead.Bulkhead.of("peer", config);
        used(outcome, bulkhead::tryAcquirePermission);
        return () -> {
            boolean taken = bulkhead.tryAcquirePermission();
            if (taken) {
                bulkhead.releasePermission();
            }
            return taken;
        };
    }

    /** On a clock as fine as ours. */
    static Decision bucket4j(Outcome outcome) {
        return bucket(outcome, Bucket.builder().withNanosecondPrecision());
    }

    /** On the clock that it has unless told otherwise. */
    static Decision bucket4jOnMilliseconds(Outcome outcome) {
        return bucket(outcome, Bucket.builder().withMillisecondPrecision());
    }

    private static Decision bucket(Outcome outcome, LocalBucketBuilder builder) {
        int permits = permits(outcome);
        Bucket bucket = builder.addLimit(
                        limit -> limit.capacity(permits).refillGreedy(permits, outcome.period(permits)))
                .build();
        return used(outcome, () -> bucket.tryConsume(1));
    }

    static Decision guava(Outcome outcome) {
        int permits = permits(outcome);
        double nanos = outcome.period(permits).toNanos();
        RateLimiter limiter = RateLimiter.create(permits * (double) TimeUnit.SECONDS.toNanos(1) / nanos);
        return used(outcome, limiter::tryAcquire);
    }

    static Decision failsafeSmooth(Outcome outcome) {
        int permits = permits(outcome);
        var limiter = dev.failsafe.RateLimiter.smoothBuilder(permits, outcome.period(permits))
                .build();
        return used(outcome, limiter::tryAcquirePermit);
    }

    static Decision failsafeBursty(Outcome outcome) {
        int permits = permits(outcome);
        var limiter = dev.failsafe.RateLimiter.burstyBuilder(permits, outcome.period(permits))
                .build();
        return used(outcome, limiter::tryAcquirePermit);
    }

    static Decision failsafeBulkhead(Outcome outcome) {
        Bulkhead<Object> bulkhead = Bulkhead.of(outcome == Outcome.GRANTED ? Contender.AT_ONCE : 1);
        used(outcome, bulkhead::tryAcquirePermit);
        return () -> {
            boolean taken = bulkhead.tryAcquirePermit();
            if (taken) {
                bulkhead.releasePermit();
            }
            return taken;
        };
    }

    private static int permits(Outcome outcome) {
        return outcome == Outcome.GRANTED ? Contender.MANY : 1;
    }

    /** Takes the one permit that there is, if all are to be refused. */
    private static Decision used(Outcome outcome, Decision decision) {
        if (outcome == Outcome.REFUSED && !decision.tryTake()) {
            throw new IllegalStateException("the first permit was refused");
        }
        return decision;
    }
}
