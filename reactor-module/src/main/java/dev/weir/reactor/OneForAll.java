package dev.weir.reactor;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * One limiter for all subscriptions, as long as they find the same scheduler in force. Its permits are counted on that
 * scheduler's clock, and so are meaningless on another's: when virtual time begins or ends, a new one takes its place.
 */
final class OneForAll implements Supplier<RateLimiter> {

    private final Limit limit;
    private final AtomicReference<@Nullable Made> latest = new AtomicReference<>();

    OneForAll(Limit limit) {
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

    private record Made(Scheduler scheduler, RateLimiter limiter) {}
}
