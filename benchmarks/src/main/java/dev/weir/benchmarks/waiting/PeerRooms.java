package dev.weir.benchmarks.waiting;

import dev.failsafe.Failsafe;
import dev.weir.benchmarks.Timers;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.reactor.ratelimiter.operator.RateLimiterOperator;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Requests that wait in other libraries. Each reserves its permit when it comes, so a permit a minute is as long as millions
 * of them can reckon with.
 */
final class PeerRooms {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10_000_000);

    private PeerRooms() {}

    @SuppressWarnings("FutureReturnValueIgnored") // It is kept as the request.
    static Room bucket4j() {
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(1).refillGreedy(1, MINUTE))
                .withNanosecondPrecision()
                .build();
        ScheduledThreadPoolExecutor timer = Timers.daemon();
        taken(bucket.tryConsume(1));
        return new TimerRoom(
                List.of(timer),
                () -> bucket.asScheduler().consume(1, timer),
                request -> ((Future<?>) request).cancel(false));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // It is kept as the request.
    static Room failsafe() {
        var limiter = dev.failsafe.RateLimiter.smoothBuilder(1, MINUTE)
                .withMaxWaitTime(LONGEST_WAIT)
                .build();
        ScheduledThreadPoolExecutor timer = Timers.daemon();
        taken(limiter.tryAcquirePermit());
        var failsafe = Failsafe.with(limiter).with(timer);
        return new TimerRoom(
                List.of(timer), () -> failsafe.runAsync(() -> {}), request -> ((Future<?>) request).cancel(false));
    }

    /** As a future, since a subscription cannot be cancelled before the permit comes. */
    @SuppressWarnings("FutureReturnValueIgnored") // It is kept as the request.
    static Room resilience4j() {
        List<ScheduledThreadPoolExecutor> timers = new CopyOnWriteArrayList<>();
        Schedulers.addExecutorServiceDecorator("timers", (scheduler, service) -> {
            if (service instanceof ScheduledThreadPoolExecutor timer) {
                timers.add(timer);
            }
            return service;
        });
        // Those that there are already would not be counted.
        Schedulers.shutdownNow();
        RateLimiter limiter = RateLimiter.of(
                "peer",
                RateLimiterConfig.custom()
                        .limitForPeriod(1)
                        .limitRefreshPeriod(MINUTE)
                        .timeoutDuration(LONGEST_WAIT)
                        .build());
        taken(limiter.acquirePermission());
        return new TimerRoom(
                timers,
                () -> Mono.just(1)
                        .transformDeferred(RateLimiterOperator.of(limiter))
                        .toFuture(),
                request -> ((Future<?>) request).cancel(false));
    }

    private static void taken(boolean first) {
        if (!first) {
            throw new IllegalStateException("the first permit was refused");
        }
    }
}
