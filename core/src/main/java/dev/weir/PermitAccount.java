package dev.weir;

import dev.weir.limit.PermitPolicy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The books of one limiter: the policy, the terms, the leases counted, and what comes back from them later.
 *
 * <p>Kept in few fields, as there may be a million of them. Those of a limiter that is one of many know its key, by which a
 * lease that outlived its limiter finds the successor.
 */
abstract class PermitAccount extends Retirable {

    private static final VarHandle TERMS;
    private static final VarHandle ACQUIRED;
    private static final VarHandle REFUSED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TERMS = lookup.findVarHandle(PermitAccount.class, "terms", Terms.class);
            ACQUIRED = lookup.findVarHandle(PermitAccount.class, "acquired", long.class);
            REFUSED = lookup.findVarHandle(PermitAccount.class, "refused", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final PermitPolicy policy;

    private final @Nullable Object key;
    private volatile Terms terms;

    // Of use only without a tally
    private volatile long acquired;
    private volatile long refused;

    PermitAccount(Terms terms, @Nullable Object key) {
        this.terms = terms;
        this.key = key;
        this.policy = terms.limit.newPolicy(terms.time.nanoTime());
    }

    final @Nullable Object key() {
        return key;
    }

    public final Terms terms() {
        return terms;
    }

    final boolean replaceTerms(Terms before, Terms after) {
        return TERMS.compareAndSet(this, before, after);
    }

    final long now() {
        return terms.time.nanoTime();
    }

    // Permits for those who wait

    public final int capacity() {
        return policy.capacity();
    }

    public final long tryTake(int permits, long nowNanos) {
        return policy.tryTake(permits, nowNanos);
    }

    public final void untake(int permits, long nowNanos) {
        if (permits > 0) {
            policy.giveBack(permits, nowNanos, nowNanos);
        }
    }

    public final long nanosUntil(long ahead, int permits, long nowNanos) {
        return policy.nanosUntil(ahead, permits, nowNanos);
    }

    /** Has those who wait looked after, as permits may have appeared. */
    abstract void signal();

    // Leases that go out

    public final Lease countGranted(int permits, long takenAtNanos) {
        countAcquired(1);
        return new PermitLease(this, permits, null, null, takenAtNanos);
    }

    public final Lease countRefused(int permits, RefusalReason reason, @Nullable Throwable cause, long retryNanos) {
        Tally tally = terms.tally;
        if (tally != null) {
            tally.refused().increment();
        } else {
            REFUSED.getAndAdd(this, 1L);
        }
        return new PermitLease(this, permits, reason, cause, retryNanos);
    }

    final void countAcquired(long leases) {
        Tally tally = terms.tally;
        if (tally != null) {
            tally.acquired().add(leases);
        } else {
            ACQUIRED.getAndAdd(this, leases);
        }
    }

    final RateLimiterStatistics statistics(long available, long queuedPermits) {
        Tally tally = terms.tally;
        return tally == null
                ? new RateLimiterStatistics(available, queuedPermits, acquired, refused)
                : new RateLimiterStatistics(
                        available,
                        queuedPermits,
                        tally.acquired().sum(),
                        tally.refused().sum());
    }

    // Leases that come back

    final void settle(int granted, int actual, boolean released, long takenAtNanos) {
        policy.settle(granted, actual, released, takenAtNanos, now());
        if (actual > granted && !keep()) {
            terms.chargeLate(key, actual - granted);
        } else if (actual < granted) {
            signal();
        }
    }

    /** Returns what is still out of the permits that were granted. */
    final void release(int granted, int stillOut) {
        if (policy.returnsOnRelease() && granted > 0) {
            policy.release(stillOut, now());
            signal();
        }
    }

    final void undo(int permits, long takenAtNanos) {
        countAcquired(-1);
        if (permits > 0) {
            policy.giveBack(permits, takenAtNanos, now());
            signal();
        }
    }
}
