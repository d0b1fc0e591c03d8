package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.gate.GatePlan;
import dev.weir.stream.StreamOptions;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Gates by given limiters, which may serve other streams. */
final class SharedGating<T> implements ElementGating<T> {

    private final GatePlan<T> plan;

    /** How the subscription of a mono is gated; null if its element is. */
    private final @Nullable CallPlan<T> calls;

    private SharedGating(GatePlan<T> plan, @Nullable CallPlan<T> calls) {
        this.plan = plan;
        this.calls = calls;
    }

    static <T> SharedGating<T> with(RateLimiter limiter, StreamOptions options) {
        return new SharedGating<>(GatePlan.of(limiter, options), new CallPlan<>(() -> limiter, options, true));
    }

    static <T> SharedGating<T> weighted(RateLimiter limiter, ToIntFunction<? super T> permits, StreamOptions options) {
        return new SharedGating<>(GatePlan.weighted(limiter, permits, options), null);
    }

    static <T, K> SharedGating<T> perKey(
            Function<? super K, ? extends RateLimiter> limiters,
            Function<? super T, ? extends K> key,
            StreamOptions options) {
        return new SharedGating<>(GatePlan.perKey(limiters, key, options), null);
    }

    @Override
    public Mono<T> gate(Mono<T> source) {
        return new MonoRateLimit<>(source, calls == null ? this : calls);
    }

    @Override
    public int prefetch() {
        return plan.prefetch();
    }

    @Override
    public ElementSubscriber<T> subscriber(CoreSubscriber<? super T> actual) {
        // A grant arrives on the thread that made it possible, which must not run this stream's downstream.
        Scheduler scheduler = Schedulers.parallel();
        return new ElementSubscriber<>(actual, plan, scheduler, OwnWorker.unlessGiven(plan.options(), scheduler));
    }
}
