package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.gate.GatePlan;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.time.TimeSource;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Limiters of the operator's own: one for each subscription of a flux, one for each mono. */
final class OwnGating<T> implements Gating<T>, Subscribing<T> {

    private final Limit limit;
    private final StreamOptions options;

    OwnGating(Limit limit, StreamOptions options) {
        this.limit = Objects.requireNonNull(limit, "limit");
        this.options = Objects.requireNonNull(options, "options");
    }

    @Override
    public Flux<T> gate(Flux<T> source) {
        return new FluxRateLimit<>(source, this);
    }

    @Override
    public Mono<T> gate(Mono<T> source) {
        return new MonoRateLimit<>(source, new CallSubscribing<>(new OneForAll(limit), options, true));
    }

    /** As {@link GatePlan#prefetch}, of plans that are made per subscription. */
    @Override
    public int prefetch() {
        return options.buffer() > 0 ? Integer.MAX_VALUE : options.prefetch();
    }

    @Override
    public Runnable prepare(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        // Grants arrive on the scheduler on which the stream continues anyway, and are for this stream only.
        Scheduler scheduler = Schedulers.parallel();
        TimeSource time = ReactorTime.ofTimed(scheduler);
        GatePlan<T> plan = GatePlan.own(limit, time, options);
        Executor resume = options.emitOn().orElse(null);
        ElementSubscriber<T> subscriber = new ElementSubscriber<>(actual, false, plan, scheduler, resume);
        return () -> source.subscribe(subscriber);
    }

    /**
     * One limiter for all subscriptions, as long as they find the same scheduler in force. Its permits are counted on that
     * scheduler's clock, and so are meaningless on another's: when virtual time begins or ends, a new one takes its place.
     */
    private static final class OneForAll implements Supplier<RateLimiter> {

        private final Limit limit;
        private final AtomicReference<@Nullable Made> latest = new AtomicReference<>();

        private OneForAll(Limit limit) {
            this.limit = limit;
        }

        @Override
        public RateLimiter get() {
            Scheduler scheduler = Schedulers.parallel();
            while (true) {
                Made made = latest.get();
                if (made != null && made.scheduler == scheduler) {
                    return made.limiter;
                }
                latest.compareAndSet(made, new Made(scheduler, limiterOn(scheduler)));
            }
        }

        private RateLimiter limiterOn(Scheduler scheduler) {
            return RateLimiter.builder(limit)
                    .timeSource(ReactorTime.ofTimed(scheduler))
                    .build();
        }
    }

    private record Made(Scheduler scheduler, RateLimiter limiter) {}
}
