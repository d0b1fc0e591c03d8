package dev.weir.benchmarks.crowd;

import dev.weir.RateLimiter;
import dev.weir.benchmarks.Compared;
import dev.weir.benchmarks.CountingTime;
import dev.weir.benchmarks.Kind;
import dev.weir.limit.Limit;
import dev.weir.reactor.RateLimit;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.reactor.ratelimiter.operator.RateLimiterOperator;
import java.time.Duration;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Who lets many streams share one limit. Each is measured in a virtual machine that knows no other. */
public enum StreamsContender implements Compared {
    SHARED(Kind.OURS, "shared limiter", StreamsContender::shared),
    RESILIENCE4J(Kind.PEER, "Resilience4j for each element", StreamsContender::resilience4j);

    private final Kind kind;
    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // A recipe without a state.
    private final Function<CountingTime, Function<Flux<Integer>, Flux<Integer>>> operator;

    StreamsContender(Kind kind, String label, Function<CountingTime, Function<Flux<Integer>, Flux<Integer>>> operator) {
        this.kind = kind;
        this.label = label;
        this.operator = operator;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public String label() {
        return label;
    }

    /** One limit for all streams that the function is applied to. */
    Function<Flux<Integer>, Flux<Integer>> operator(CountingTime time) {
        return operator.apply(time);
    }

    private static Function<Flux<Integer>, Flux<Integer>> shared(CountingTime time) {
        RateLimiter limiter = RateLimiter.builder(Limit.of(StreamsRun.PER_MILLISECOND, Duration.ofMillis(1)))
                .timeSource(time)
                .build();
        return flux -> flux.transform(RateLimit.with(limiter));
    }

    private static Function<Flux<Integer>, Flux<Integer>> resilience4j(CountingTime time) {
        var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of(
                "peer",
                RateLimiterConfig.custom()
                        .limitForPeriod(StreamsRun.PER_MILLISECOND)
                        .limitRefreshPeriod(Duration.ofMillis(1))
                        .timeoutDuration(Duration.ofHours(1))
                        .build());
        return flux -> flux.concatMap(element -> Mono.just(element).transformDeferred(RateLimiterOperator.of(limiter)));
    }
}
