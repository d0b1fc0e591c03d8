package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One limiter for all subscriptions, as long as they find the same scheduler in force. Its permits are counted on that
 * scheduler's clock, and so are meaningless on another's: when virtual time begins or ends, a new one takes its place.
 *
 * <p>A plugin that chooses the scheduler may return a new wrapper each time it is asked; as long as the plugin is the same,
 * the scheduler counts as the same. A {@link TestScheduler} is no wrapper: another one has another clock.
 */
final class OneForAll implements Supplier<RateLimiter> {

    private final Limit limit;
    private final AtomicReference<@Nullable Made> latest = new AtomicReference<>();

    OneForAll(Limit limit) {
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

    /** A limiter, the scheduler that it is on, and the plugin that may have wrapped that. */
    private record Made(@Nullable Object wrapper, Scheduler scheduler, RateLimiter limiter) {}
}
