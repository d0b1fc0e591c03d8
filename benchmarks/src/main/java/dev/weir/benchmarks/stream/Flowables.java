package dev.weir.benchmarks.stream;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.rxjava.RateLimit;

/** Streams of RxJava. */
final class Flowables {

    private Flowables() {}

    static Pipe identity() {
        return Arrivals.flowable(flowable -> flowable.map(element -> element));
    }

    static Pipe clock() {
        return Arrivals.flowable(flowable -> flowable.map(Limits::readingTheClock));
    }

    static Pipe own(Limit limit) {
        return Arrivals.flowable(flowable -> flowable.compose(RateLimit.of(limit)));
    }

    static Pipe shared() {
        RateLimiter limiter = Limits.shared();
        return Arrivals.flowable(flowable -> flowable.compose(RateLimit.with(limiter)));
    }

    static Pipe weighted() {
        RateLimiter limiter = RateLimiter.of(Limits.tokens());
        return Arrivals.flowable(flowable -> flowable.compose(RateLimit.weighted(limiter, Limits::weight)));
    }

    static Pipe perKey() {
        var limiters = Limits.keyed();
        return Arrivals.flowable(flowable -> flowable.compose(RateLimit.perKey(limiters, Limits::key)));
    }
}
