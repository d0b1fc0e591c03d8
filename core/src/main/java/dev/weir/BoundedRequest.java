package dev.weir;

import dev.weir.time.TimeSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request with a bound of its own at a limiter that knows none: withdrawn when its time is up.
 *
 * <p>Who is told what is decided by the request underneath, which is answered or cancelled, and never both. The alarm may be set
 * when the answer has come already; so whoever sets it looks again, and whoever answers calls it off.
 */
final class BoundedRequest implements PermitRequest, PermitListener, Runnable {

    private static final TimeSource.Cancellable NONE = () -> {};

    private final RateLimiter limiter;
    private final int permits;
    private final PermitListener listener;
    private volatile @Nullable PermitRequest request;
    private volatile TimeSource.Cancellable alarm = NONE;

    private BoundedRequest(RateLimiter limiter, int permits, PermitListener listener) {
        this.limiter = limiter;
        this.permits = permits;
        this.listener = listener;
    }

    static PermitRequest start(RateLimiter limiter, int permits, long nanos, TimeSource time, PermitListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (nanos == 0) {
            Answers.tellAtOnce(null, listener, limiter.tryAcquire(permits));
            return SettledRequest.INSTANCE;
        }
        BoundedRequest bounded = new BoundedRequest(limiter, permits, listener);
        PermitRequest asked = limiter.acquire(permits, bounded);
        if (asked.isSettled()) {
            return asked;
        }
        bounded.request = asked;
        try {
            bounded.alarm = time.schedule(bounded, nanos);
        } catch (RuntimeException | Error noMoreTasks) {
            asked.cancel();
            throw noMoreTasks;
        }
        if (asked.isSettled()) {
            bounded.alarm.cancel();
        }
        return bounded;
    }

    @Override
    public void onLease(Lease lease) {
        alarm.cancel();
        listener.onLease(lease);
    }

    /** Time is up. The refusal is asked for while the request still stands, so that nobody is overtaken. */
    @Override
    public void run() {
        Lease now = askNow();
        if (asked().cancel()) {
            Answers.tellAtOnce(null, listener, now);
        } else {
            now.giveBack();
        }
    }

    private Lease askNow() {
        try {
            return limiter.tryAcquire(permits);
        } catch (RuntimeException | Error broken) {
            return ChainLease.refused(permits, ChainLease.Refusal.broken(limiter.name(), broken));
        }
    }

    @Override
    public boolean cancel() {
        boolean cancelled = asked().cancel();
        alarm.cancel();
        return cancelled;
    }

    @Override
    public boolean isSettled() {
        return asked().isSettled();
    }

    private PermitRequest asked() {
        return Objects.requireNonNull(request, "request");
    }
}
