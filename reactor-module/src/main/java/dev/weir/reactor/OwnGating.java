package dev.weir.reactor;

import dev.weir.gate.GatePlan;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.time.TimeSource;
import java.util.Objects;
import java.util.concurrent.Executor;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Gates each element of a flux by a limiter that its subscription has to itself. */
record OwnGating<T>(Limit limit, StreamOptions options) implements Gating<T> {

    OwnGating {
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(options, "options");
    }

    @Override
    public int prefetch() {
        return GatePlan.prefetchOfOwn(options);
    }

    @Override
    public void subscribe(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual) {
        GuardedSubscribe.begin(() -> subscriber(actual), source::subscribe, actual);
    }

    private ElementSubscriber<T> subscriber(CoreSubscriber<? super T> actual) {
        // Grants arrive on the scheduler on which the stream continues anyway, and are for this stream only.
        Scheduler scheduler = Schedulers.parallel();
        TimeSource time = ReactorTime.ofTimed(scheduler);
        GatePlan<T> plan = GatePlan.own(limit, time, options);
        Executor resume = options.emitOn().orElse(null);
        return new ElementSubscriber<>(actual, false, plan, scheduler, resume);
    }
}
