package dev.weir;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request as a future. If it is completed otherwise first, by {@code cancel}, {@code orTimeout} or another
 * method, the request is cancelled, and permits already on their way are given back.
 */
final class LeaseFuture extends CompletableFuture<Lease> implements PermitListener.Direct {

    private volatile @Nullable PermitRequest request;

    /** Requests permits, with a maximum wait if there is one. */
    static CompletableFuture<Lease> request(RateLimiter limiter, int permits, @Nullable Duration maxWait) {
        LeaseFuture future = new LeaseFuture();
        try {
            future.request =
                    maxWait == null ? limiter.acquire(permits, future) : limiter.acquire(permits, maxWait, future);
        } catch (Throwable broken) {
            future.giveBackUnseen();
            throw broken;
        }
        return future;
    }

    /** The request failed, so this future is never returned to the caller: gives back what it may have been granted. */
    private void giveBackUnseen() {
        if (!super.cancel(false)) {
            CompletableFuture<Void> unused = thenAccept(Lease::giveBack); // runs now, as the future is complete
        }
    }

    @Override
    public void onLease(Lease lease) {
        if (!super.complete(lease)) {
            lease.giveBack();
        }
    }

    @Override
    public boolean complete(Lease value) {
        return withdraw(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable thrown) {
        return withdraw(super.completeExceptionally(thrown));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return withdraw(super.completeExceptionally(new Cancelled())) || isCancelled();
    }

    @Override
    public CompletableFuture<Lease> completeAsync(Supplier<? extends Lease> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        executor.execute(() -> {
            try {
                complete(supplier.get());
            } catch (Throwable thrown) {
                completeExceptionally(thrown);
            }
        });
        return this;
    }

    @Override
    public CompletableFuture<Lease> completeAsync(Supplier<? extends Lease> supplier) {
        return completeAsync(supplier, defaultExecutor());
    }

    @Override
    public void obtrudeValue(Lease value) {
        complete(value); // first, so that a lease that comes at this moment finds itself too late, and is given back
        super.obtrudeValue(value);
    }

    @Override
    public void obtrudeException(Throwable thrown) {
        completeExceptionally(thrown);
        super.obtrudeException(thrown);
    }

    private boolean withdraw(boolean completedByOther) {
        PermitRequest waiting = request;
        if (completedByOther && waiting != null) {
            waiting.cancel();
        }
        return completedByOther;
    }

    /**
     * Has no stack trace, which would take several times as long as all else that a cancellation does; callers cancel by the thousand
     * when a service behind them fails.
     */
    private static final class Cancelled extends CancellationException {

        private static final long serialVersionUID = 1;

        Cancelled() {
            super("the request for permits was cancelled");
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // there is nothing to protect
        public Throwable fillInStackTrace() {
            return this;
        }
    }
}
