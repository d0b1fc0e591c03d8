package dev.weir.benchmarks.stream;

import com.google.common.util.concurrent.RateLimiter;
import dev.weir.benchmarks.Timers;
import dev.weir.limit.Limit;
import dev.weir.reactor.RateLimit;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.reactor.ratelimiter.operator.RateLimiterOperator;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import reactor.core.publisher.Mono;

/** Streams of Reactor. */
final class Fluxes {

    private Fluxes() {}

    static Pipe identity() {
        return Arrivals.flux(flux -> flux.map(element -> element));
    }

    static Pipe clock() {
        return Arrivals.flux(flux -> flux.map(Limits::readingTheClock));
    }

    static Pipe own(Limit limit) {
        return Arrivals.flux(flux -> flux.transform(RateLimit.of(limit)));
    }

    static Pipe shared() {
        dev.weir.RateLimiter limiter = Limits.shared();
        return Arrivals.flux(flux -> flux.transform(RateLimit.with(limiter)));
    }

    static Pipe weighted() {
        dev.weir.RateLimiter limiter = dev.weir.RateLimiter.of(Limits.tokens());
        return Arrivals.flux(flux -> flux.transform(RateLimit.weighted(limiter, Limits::weight)));
    }

    static Pipe perKey() {
        var limiters = Limits.keyed();
        return Arrivals.flux(flux -> flux.transform(RateLimit.perKey(limiters, Limits::key)));
    }

    /** Its operator takes one permit for a subscription, so each element becomes one. */
    static Pipe resilience4j() {
        var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of(
                "peer",
                RateLimiterConfig.custom()
                        .limitForPeriod(1_000_000)
                        .limitRefreshPeriod(Duration.ofMillis(1))
                        .timeoutDuration(Duration.ofSeconds(1))
                        .build());
        return Arrivals.flux(flux ->
                flux.concatMap(element -> Mono.just(element).transformDeferred(RateLimiterOperator.of(limiter))));
    }

    /** It answers with a future, so each element becomes one. */
    static Pipe bucket4j() {
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(1_000_000).refillGreedy(1_000_000, Duration.ofMillis(1)))
                .withNanosecondPrecision()
                .build();
        ScheduledExecutorService timer = Timers.daemon();
        return Arrivals.flux(flux -> flux.concatMap(element ->
                Mono.fromFuture(bucket.asScheduler().consume(1, timer)).thenReturn(element)));
    }

    /** It blocks. */
    static Pipe guava() {
        RateLimiter limiter = RateLimiter.create(1e9);
        return Arrivals.flux(flux -> flux.map(element -> {
            limiter.acquire();
            return element;
        }));
    }
}
