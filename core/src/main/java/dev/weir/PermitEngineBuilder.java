package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link PermitEngine}. */
final class PermitEngineBuilder implements RateLimiter.Builder {

    final Limit limit;
    String name;
    int queueLimit = Integer.MAX_VALUE;
    QueueOrder queueOrder = QueueOrder.OLDEST_FIRST;
    long maxWaitNanos = PermitEngine.UNBOUNDED;
    TimeSource timeSource = TimeSource.system();

    @Nullable
    RateLimiterObserver observer;

    PermitEngineBuilder(Limit limit) {
        this.limit = Objects.requireNonNull(limit, "limit");
        this.name = limit.toString();
    }

    @Override
    public RateLimiter.Builder name(String name) {
        this.name = Objects.requireNonNull(name, "name");
        return this;
    }

    @Override
    public RateLimiter.Builder queueLimit(int permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("queueLimit must not be negative, but is " + permits);
        }
        this.queueLimit = permits;
        return this;
    }

    @Override
    public RateLimiter.Builder queueOrder(QueueOrder order) {
        this.queueOrder = Objects.requireNonNull(order, "order");
        return this;
    }

    @Override
    public RateLimiter.Builder maxWait(Duration maxWait) {
        this.maxWaitNanos = PermitEngine.nanos(maxWait, "maxWait");
        return this;
    }

    @Override
    public RateLimiter.Builder timeSource(TimeSource timeSource) {
        this.timeSource = Objects.requireNonNull(timeSource, "timeSource");
        return this;
    }

    @Override
    public RateLimiter.Builder observer(RateLimiterObserver observer) {
        this.observer = Objects.requireNonNull(observer, "observer");
        return this;
    }

    @Override
    public RateLimiter build() {
        return new PermitEngine(this);
    }
}
