package dev.weir.gate;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.time.TimeSource;
import java.util.Objects;

/** A plan of which each subscription has a limiter to itself. */
final class OwnLimiterPlan<T> extends GatePlan<T> {

    private final Limit limit;

    OwnLimiterPlan(Limit limit, StreamOptions options) {
        super(options, OneLimiterPlan.READ_AHEAD);
        this.limit = Objects.requireNonNull(limit, "limit");
    }

    @Override
    public GatePlan<T> with(StreamOptions options) {
        return new OwnLimiterPlan<>(limit, options);
    }

    @Override
    public ElementGate<T> newGate(GatedStream<T> stream, StreamThreads threads) {
        TimeSource time = threads.time();
        RateLimiter limiter = RateLimiter.builder(limit).timeSource(time).build();
        // Grants arrive on the threads on which the stream goes on anyway, and are for this stream only.
        return new ElementGate<>(
                OneLimiterPlan.own(limiter, time, options()),
                stream,
                options().emitOn().orElse(null));
    }

    @Override
    boolean isPlain() {
        return true;
    }
}
