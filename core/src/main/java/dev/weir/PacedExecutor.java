package dev.weir;

import dev.weir.handle.Caught;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs tasks on another executor, each as soon as a limiter grants it a permit. Does not block. */
final class PacedExecutor implements Executor {

    private final RateLimiter limiter;
    private final Executor delegate;

    PacedExecutor(RateLimiter limiter, Executor delegate) {
        this.limiter = limiter;
        this.delegate = Objects.requireNonNull(delegate, "delegate");
    }

    @Override
    public void execute(Runnable task) {
        Start start = new Start(Objects.requireNonNull(task, "task"));
        try {
            limiter.acquire(1, start);
        } catch (IllegalStateException closed) {
            throw new RejectedExecutionException(closed.getMessage(), closed);
        }
        start.throwIfFailed();
    }

    /**
     * A submitted task. A failure is thrown by {@code execute} if it occurs before that call returns; otherwise it goes to the
     * uncaught exception handler of the thread on which it occurs.
     */
    private final class Start implements PermitListener.Direct, Runnable {

        private static final Object OVER = new Object();

        private final Runnable task;
        private final AtomicReference<@Nullable Object> failureOrOver = new AtomicReference<>();
        private @Nullable Lease lease;
        private volatile boolean begun;

        Start(Runnable task) {
            this.task = task;
        }

        @Override
        public void onLease(Lease lease) {
            if (!lease.isAcquired()) {
                RateLimitExceededException refusal = new RateLimitExceededException(lease, limiter.name());
                fail(new RejectedExecutionException(refusal.getMessage(), refusal));
                return;
            }
            this.lease = lease;
            try {
                delegate.execute(this);
            } catch (Throwable thrown) {
                try {
                    giveBackUnlessBegun(lease);
                } finally {
                    fail(thrown);
                }
            }
        }

        /** If the task has begun, its failure has come through an executor that runs tasks on this thread: no rejection. */
        private void giveBackUnlessBegun(Lease lease) {
            if (!begun) {
                lease.giveBack();
            }
        }

        @Override
        public void run() {
            begun = true;
            try {
                task.run();
            } finally {
                Objects.requireNonNull(lease, "lease").close();
            }
        }

        private void fail(Throwable failure) {
            if (!failureOrOver.compareAndSet(null, failure)) {
                Caught.rethrow(failure);
            }
        }

        void throwIfFailed() {
            if (!failureOrOver.compareAndSet(null, OVER)) {
                Caught.rethrow((Throwable) Objects.requireNonNull(failureOrOver.get(), "failure"));
            }
        }
    }
}
