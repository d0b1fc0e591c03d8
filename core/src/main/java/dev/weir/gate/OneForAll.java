package dev.weir.gate;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One limiter for all subscriptions, as long as they find the same clock. Its permits are counted on that clock, and so are
 * meaningless on another: when virtual time begins or ends, a new one takes its place.
 */
final class OneForAll implements Function<StreamThreads, RateLimiter> {

    private final Limit limit;
    private final AtomicReference<@Nullable Made> latest = new AtomicReference<>();

    OneForAll(Limit limit) {
        this.limit = Objects.requireNonNull(limit, "limit");
    }

    @Override
    public RateLimiter apply(StreamThreads threads) {
        while (true) {
            Made made = latest.get();
            if (made != null && threads.hasClockOf(made.threads)) {
                return made.limiter;
            }
            RateLimiter limiter =
                    RateLimiter.builder(limit).timeSource(threads.time()).build();
            latest.compareAndSet(made, new Made(threads, limiter));
        }
    }

    private record Made(StreamThreads threads, RateLimiter limiter) {}
}
