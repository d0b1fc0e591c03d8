package dev.weir;

import dev.weir.limit.PolicyFactory;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The settings of a limiter other than its limit, as collected by builders; each is checked when it is set. */
final class Settings {

    @Nullable
    String name;

    int queueLimit = Integer.MAX_VALUE;
    QueueOrder queueOrder = QueueOrder.OLDEST_FIRST;
    long maxWaitNanos = PermitEngine.UNBOUNDED;
    TimeSource timeSource = TimeSource.system();

    @Nullable
    RateLimiterObserver observer;

    @Nullable
    PolicyFactory policies;

    /** Returns an independent copy, with the given name if none is set. */
    Settings copy(String otherwiseNamed) {
        Settings copy = new Settings();
        copy.name = name == null ? otherwiseNamed : name;
        copy.queueLimit = queueLimit;
        copy.queueOrder = queueOrder;
        copy.maxWaitNanos = maxWaitNanos;
        copy.timeSource = timeSource;
        copy.observer = observer;
        copy.policies = policies;
        return copy;
    }

    void name(String name) {
        this.name = Objects.requireNonNull(name, "name");
    }

    void queueLimit(int permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("queueLimit must not be negative, but is " + permits);
        }
        this.queueLimit = permits;
    }

    void queueOrder(QueueOrder order) {
        this.queueOrder = Objects.requireNonNull(order, "order");
    }

    void maxWait(Duration maxWait) {
        this.maxWaitNanos = nanos(maxWait, "maxWait");
    }

    void timeSource(TimeSource timeSource) {
        this.timeSource = Objects.requireNonNull(timeSource, "timeSource");
    }

    void observer(RateLimiterObserver observer) {
        this.observer = Objects.requireNonNull(observer, "observer");
    }

    void policies(PolicyFactory policies) {
        this.policies = Objects.requireNonNull(policies, "policies");
    }

    /** Returns a duration in nanoseconds, limited to half of {@link PermitEngine#UNBOUNDED}. */
    static long nanos(Duration duration, String name) {
        if (Objects.requireNonNull(duration, name).isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative, but is " + duration);
        }
        try {
            return Math.min(duration.toNanos(), PermitEngine.UNBOUNDED / 2);
        } catch (ArithmeticException e) {
            return PermitEngine.UNBOUNDED / 2;
        }
    }
}
