package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Limiters of the operator's own: one for each subscription if elements are gated, one for all if calls are. */
final class OwnGating<T> implements AtMostOneGating<T> {

    private final Limit limit;
    private final StreamOptions options;

    OwnGating(Limit limit, StreamOptions options) {
        this.limit = Objects.requireNonNull(limit, "limit");
        this.options = Objects.requireNonNull(options, "options");
    }

    @Override
    public Flowable<T> gate(Flowable<T> source) {
        return new FlowableElements<>(source, () -> Setup.own(limit, options));
    }

    @Override
    public Observable<T> gate(Observable<T> source) {
        StreamOptions bounded = ObservableElements.bounded(options);
        return new ObservableElements<>(source, () -> Setup.own(limit, bounded));
    }

    @Override
    public CallPlan calls() {
        return new CallPlan(new OneForAll(limit), options);
    }

    /**
     * One limiter for all subscriptions, as long as they find the same scheduler in force. Its permits are counted on that
     * scheduler's clock, and so are meaningless on another's: when virtual time begins or ends, a new one takes its place.
     *
     * <p>A plugin that chooses the scheduler may return a new wrapper each time it is asked; as long as the plugin is the same,
     * the scheduler counts as the same. A {@link TestScheduler} is no wrapper: another one has another clock.
     */
    private static final class OneForAll implements Supplier<RateLimiter> {

        private final Limit limit;
        private final AtomicReference<@Nullable Made> latest = new AtomicReference<>();

        private OneForAll(Limit limit) {
            this.limit = limit;
        }

        @Override
        public RateLimiter get() {
            Object plugin = RxJavaPlugins.getComputationSchedulerHandler();
            Scheduler scheduler = Schedulers.computation();
            Object wrapper = scheduler instanceof TestScheduler ? null : plugin;
            while (true) {
                Made made = latest.get();
                if (made != null && (made.scheduler == scheduler || (wrapper != null && made.wrapper == wrapper))) {
                    return made.limiter;
                }
                latest.compareAndSet(made, new Made(wrapper, scheduler, limiterOn(scheduler)));
            }
        }

        private RateLimiter limiterOn(Scheduler scheduler) {
            return RateLimiter.builder(limit)
                    .timeSource(RxTime.ofStreams(scheduler))
                    .build();
        }
    }

    /** A limiter, the scheduler that it is on, and the plugin that may have wrapped that. */
    private record Made(@Nullable Object wrapper, Scheduler scheduler, RateLimiter limiter) {}
}
