package dev.weir.benchmarks.shaping;

import dev.weir.benchmarks.Timers;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.reactor.ratelimiter.operator.RateLimiterOperator;
import io.reactivex.rxjava3.core.Flowable;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Streams shaped by other libraries, as their documentation says; windows are made of buffers where there is no other way. */
final class Peers {

    private Peers() {}

    static Shaper delayElements(Rate rate) {
        return Ours.flux(flux -> rate.isEven()
                ? flux.delayElements(rate.distance())
                : flux.buffer(rate.step()).delayElements(rate.distance()).concatMapIterable(step -> step));
    }

    static Shaper fluxZip(Rate rate) {
        return Ours.flux(flux -> {
            Flux<Long> ticks = Flux.interval(rate.distance()).onBackpressureDrop();
            return rate.isEven()
                    ? flux.zipWith(ticks, (element, tick) -> element)
                    : flux.buffer(rate.step())
                            .zipWith(ticks, (step, tick) -> step)
                            .concatMapIterable(step -> step);
        });
    }

    static Shaper flowableZip(Rate rate) {
        return Ours.flowable(flowable -> {
            Flowable<Long> ticks = Flowable.interval(rate.distance().toNanos(), TimeUnit.NANOSECONDS)
                    .onBackpressureDrop();
            return rate.isEven()
                    ? flowable.zipWith(ticks, (element, tick) -> element)
                    : flowable.buffer(rate.step())
                            .zipWith(ticks, (step, tick) -> step)
                            .concatMapIterable(step -> step);
        });
    }

    static Shaper pekko(Rate rate) {
        ActorSystem system = ActorSystem.create();
        return passed -> {
            Source<Integer, ?> source = Source.range(0, Integer.MAX_VALUE);
            Source<Integer, ?> throttled = rate.isEven()
                    ? source.throttle(rate.perSecond(), Duration.ofSeconds(1))
                    : source.throttle(rate.step(), rate.distance());
            throttled
                    .takeWhile(element -> passed.getAsBoolean())
                    .runWith(Sink.ignore(), system)
                    .toCompletableFuture()
                    .join();
        };
    }

    static Shaper bucket4j(Rate rate) {
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(rate.step()).refillGreedy(rate.step(), rate.distance()))
                .withNanosecondPrecision()
                .build();
        ScheduledExecutorService timer = Timers.daemon();
        return Ours.flux(flux -> flux.concatMap(element ->
                Mono.fromFuture(bucket.asScheduler().consume(1, timer)).thenReturn(element)));
    }

    static Shaper resilience4j(Rate rate) {
        RateLimiter limiter = RateLimiter.of(
                "peer",
                RateLimiterConfig.custom()
                        .limitForPeriod(rate.step())
                        .limitRefreshPeriod(rate.distance())
                        .timeoutDuration(Duration.ofSeconds(10))
                        .build());
        return Ours.flux(flux ->
                flux.concatMap(element -> Mono.just(element).transformDeferred(RateLimiterOperator.of(limiter))));
    }

    static Shaper guava(Rate rate) {
        return Ours.blocking(com.google.common.util.concurrent.RateLimiter.create(rate.perSecond())::acquire);
    }

    static Shaper failsafe(Rate rate) {
        var limiter = rate.isEven()
                ? dev.failsafe.RateLimiter.smoothBuilder(rate.step(), rate.distance())
                        .build()
                : dev.failsafe.RateLimiter.burstyBuilder(rate.step(), rate.distance())
                        .build();
        return Ours.blocking(() -> {
            try {
                limiter.acquirePermit();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
