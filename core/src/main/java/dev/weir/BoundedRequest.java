package dev.weir;

import dev.weir.time.TimeSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request with a maximum wait at a limiter that does not support one: it is cancelled when its time is up.
 *
 * <p>The underlying request decides which answer is delivered: it is either answered or cancelled, never both. The alarm may be
 * set after the answer has arrived, so the thread that sets it checks again afterwards, and the thread that answers cancels it.
 */
final class BoundedRequest implements PermitRequest, Runnable {

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
            Delivery.tellAtOnce(null, listener, limiter.tryAcquire(permits));
            return SettledRequest.INSTANCE;
        }
        BoundedRequest bounded = new BoundedRequest(limiter, permits, listener);
        PermitRequest asked = limiter.acquire(permits, bounded.asListener());
        if (asked.isSettled()) {
            return asked;
        }
        bounded.request = asked;
        try {
            bounded.alarm = time.schedule(bounded, nanos);
        } catch (Throwable noMoreTasks) {
            asked.cancel();
            throw noMoreTasks;
        }
        if (asked.isSettled()) {
            bounded.alarm.cancel();
        }
        return bounded;
    }

    /** Returns a listener that is called where the one it stands for would be: some need the answer at once. */
    private PermitListener asListener() {
        return listener instanceof PermitListener.Direct ? (PermitListener.Direct) this::onLease : this::onLease;
    }

    private void onLease(Lease lease) {
        alarm.cancel();
        listener.onLease(lease);
    }

    /** The time is up. Asks for the refusal while the request still waits, so that it cannot overtake others. */
    @Override
    public void run() {
        Lease now = askNow();
        if (asked().cancel()) {
            Delivery.tellAtOnce(null, listener, now);
        } else {
            now.giveBack();
        }
    }

    private Lease askNow() {
        try {
            return limiter.tryAcquire(permits);
        } catch (Throwable broken) {
            return RefusedLease.broken(permits, limiter.name(), broken);
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
