package dev.weir.benchmarks.shaping;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.reactor.RateLimit;
import io.reactivex.rxjava3.core.Flowable;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;

/** Streams shaped by this library. */
final class Ours {

    private Ours() {}

    static Shaper ownFlux(Rate rate, int slack) {
        return flux(flux -> flux.transform(RateLimit.of(limit(rate, slack))));
    }

    static Shaper sharedFlux(Rate rate, int slack) {
        RateLimiter limiter = RateLimiter.of(limit(rate, slack));
        return flux(flux -> flux.transform(RateLimit.with(limiter)));
    }

    static Shaper ownFlowable(Rate rate, int slack) {
        return flowable(flowable -> flowable.compose(dev.weir.rxjava.RateLimit.of(limit(rate, slack))));
    }

    static Shaper sharedFlowable(Rate rate, int slack) {
        RateLimiter limiter = RateLimiter.of(limit(rate, slack));
        return flowable(flowable -> flowable.compose(dev.weir.rxjava.RateLimit.with(limiter)));
    }

    private static Limit limit(Rate rate, int slack) {
        return rate.isEven()
                ? Limit.leakyBucket(rate.perSecond(), Duration.ofSeconds(1)).withSlack(slack)
                : Limit.of(rate.perWindow(), Rate.WINDOW);
    }

    static Shaper flux(UnaryOperator<Flux<Integer>> operator) {
        return passed -> operator.apply(Flux.range(0, Integer.MAX_VALUE))
                .takeWhile(element -> passed.getAsBoolean())
                .blockLast();
    }

    static Shaper flowable(UnaryOperator<Flowable<Integer>> operator) {
        return passed -> operator.apply(Flowable.range(0, Integer.MAX_VALUE))
                .takeWhile(element -> passed.getAsBoolean())
                .blockingSubscribe();
    }

    /** A thread that waits by itself for each. */
    static Shaper blocking(Runnable permit) {
        return (BooleanSupplier passed) -> {
            do {
                permit.run();
            } while (passed.getAsBoolean());
        };
    }
}
