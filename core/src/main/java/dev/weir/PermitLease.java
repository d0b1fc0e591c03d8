package dev.weir;

import dev.weir.handle.Handles;
import dev.weir.limit.DecisionSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a {@link PermitEngine}: a grant or a refusal.
 *
 * <pre>
 *            settle(n)              close
 *   OPEN --------------> ~n &lt; 0 --------------> DONE
 *     |                                         ^
 *     |   close              settle             |
 *     +-----------> CLOSED ---------------------+
 *     |   giveBack, putBack                     |
 *     +-----------------------------------------+
 * </pre>
 *
 * <p>Grants and refusals are one class with one constructor, so that escape analysis can remove the object where the answer is
 * only examined.
 */
final class PermitLease implements Lease {

    private static final int OPEN = 0;
    private static final int CLOSED = 1;
    private static final int DONE = 2;
    private static final VarHandle STATE = Handles.of(() -> {
        // The constructor is inlined only if the classes of all its parameters are loaded, and these may not have been
        // used yet.
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        lookup.ensureInitialized(Origin.class);
        lookup.ensureInitialized(RefusalReason.class);
        return lookup.findVarHandle(PermitLease.class, "state", int.class);
    });

    private final PermitAccount account;
    private final int permits;
    private final @Nullable RefusalReason reason;
    private final @Nullable Origin origin;

    /** When the permits were taken; for a refusal, how long until they could be. */
    private final long nanos;

    private volatile int state; // OPEN initially, without a write: a volatile write would be a large part of a grant

    /** Creates a refusal if {@code reason} is set, with the nanoseconds until a retry; otherwise a grant, with its time. */
    PermitLease(
            PermitAccount account, int permits, @Nullable RefusalReason reason, @Nullable Origin origin, long nanos) {
        this.account = account;
        this.permits = permits;
        this.reason = reason;
        this.origin = origin;
        this.nanos = nanos;
    }

    @Override
    public boolean isAcquired() {
        return reason == null;
    }

    @Override
    public int permits() {
        return permits;
    }

    @Override
    public Optional<RefusalReason> reason() {
        return Optional.ofNullable(reason);
    }

    @Override
    public Optional<Duration> retryAfter() {
        return reason == null || nanos == PermitEngine.UNBOUNDED
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(nanos));
    }

    @Override
    public Optional<String> refusedBy() {
        return reason == null ? Optional.empty() : Optional.of(account.terms().name);
    }

    @Override
    public Optional<Throwable> cause() {
        return origin == null ? Optional.empty() : Optional.ofNullable(origin.cause());
    }

    @Override
    public DecisionSource source() {
        return origin == null ? DecisionSource.LOCAL : origin.source();
    }

    @Override
    public void settle(int actualPermits) {
        checkActual(actualPermits);
        if (!isAcquired()) {
            return;
        }
        long now = account.now(); // before any change: it may throw, and then closing still returns everything
        if (STATE.compareAndSet(this, OPEN, ~actualPermits)) {
            account.settle(permits, actualPermits, false, nanos, now);
        } else if (STATE.compareAndSet(this, CLOSED, DONE)) {
            account.settle(permits, actualPermits, true, nanos, now);
        }
    }

    static void checkActual(int permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("actualPermits must not be negative, but is " + permits);
        }
    }

    @Override
    public void close() {
        if (isAcquired() && STATE.compareAndSet(this, OPEN, CLOSED)) {
            account.release(permits, permits);
            return;
        }
        int settled = state;
        if (settled < 0 && STATE.compareAndSet(this, settled, DONE)) {
            account.release(permits, Math.min(permits, ~settled));
        }
    }

    @Override
    public void giveBack() {
        if (isAcquired() && STATE.compareAndSet(this, OPEN, DONE)) {
            account.giveBack(permits, nanos);
        }
    }

    /** As {@link #giveBack}, right after the grant and by the requester itself, which may ask again soon. */
    void putBack() {
        if (isAcquired() && STATE.compareAndSet(this, OPEN, DONE)) {
            account.putBack(permits, nanos);
        }
    }

    @Override
    public String toString() {
        return reason == null
                ? "Lease[" + permits + " of " + account.terms().name + "]"
                : "Lease[" + permits + " of " + account.terms().name + " refused: " + reason + "]";
    }
}
