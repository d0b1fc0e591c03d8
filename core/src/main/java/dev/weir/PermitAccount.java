package dev.weir;

import dev.weir.handle.Handles;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The accounting of one limiter: the policy, the terms, the counts of leases, and what is returned by them later.
 *
 * <p>Has few fields, as there may be a million instances. The account of a limiter that is one of many knows its key, so that a
 * lease that outlived its limiter finds the successor.
 */
abstract class PermitAccount extends Retirable implements PermitSource, BuiltInLimiter {

    private static final VarHandle TERMS =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(PermitAccount.class, "terms", Terms.class));
    private static final VarHandle COUNTS =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(PermitAccount.class, "counts", long.class));

    final PermitPolicy policy;

    private final @Nullable Object key;
    private volatile Terms terms;

    /** The {@link TwoCounts} of leases that are not in a tally. */
    private volatile long counts;

    PermitAccount(Terms terms, @Nullable Object key) {
        this.terms = terms;
        this.key = key;
        this.policy = terms.newPolicy(key, terms.now());
    }

    @Override
    public final String name() {
        return terms.name;
    }

    @Override
    public final Limit limit() {
        return terms.limit;
    }

    @Override
    public final TimeSource time() {
        return terms.time;
    }

    @Override
    public final void checkOpen() {
        terms.checkOpen();
    }

    final @Nullable Object key() {
        return key;
    }

    @Override
    public final Terms terms() {
        return terms;
    }

    /**
     * Changes the limit of the policy and of the terms. A thread whose terms have been replaced meanwhile changes both again, because
     * the policy may have the other thread's limit by then. So the last to replace the terms is the last to change the policy, too, as
     * long as the policy takes once more what it has taken.
     */
    final void change(Limit limit) {
        Objects.requireNonNull(limit, "limit");
        Terms before;
        Terms changed;
        do {
            before = terms;
            before.checkOpen();
            if (limit.getClass() != before.limit.getClass()) {
                throw new IllegalArgumentException(
                        "limit must be of the same kind as " + before.limit + ", but is " + limit);
            }
            changed = before.with(limit); // checks it, before anything is changed
            policy.reconfigure(limit, before.now());
        } while (!replaceTerms(before, changed) && !terms.isClosed());
    }

    final void closeTerms() {
        Terms before = terms;
        while (!replaceTerms(before, before.closed())) {
            before = terms;
        }
    }

    private boolean replaceTerms(Terms before, Terms after) {
        return TERMS.compareAndSet(this, before, after);
    }

    final long now() {
        return terms.now();
    }

    @Override
    public final void charge(int permits) {
        terms.checkOpen();
        Terms.checkCharge(limit(), permits);
        if (permits > 0) {
            policy.charge(permits, now());
            lookAgain();
        }
    }

    // Permits for those who wait

    @Override
    public final int capacity() {
        return Math.min(policy.capacity(), terms.limit.capacity());
    }

    @Override
    public final long tryTake(Waiter waiter, long waiting, long nowNanos) {
        return checked(
                waiter.permits == 0 || terms.isNewestFirst
                        ? policy.tryTake(waiter.permits, nowNanos)
                        : policy.tryTakeFirst(waiter, waiting, waiter.longestWaitNanos(nowNanos), nowNanos));
    }

    /** Checks a wait returned by a policy: a negative one would be taken for a special value, and the request be forgotten. */
    final long checked(long wait) {
        if (wait < 0) {
            throw new IllegalStateException(policy.getClass().getName() + ", the policy of " + limit()
                    + ", told a wait of " + wait + " nanoseconds: it must not be negative");
        }
        return wait;
    }

    @Override
    public final @Nullable Throwable failure(long nowNanos) {
        return policy.failure(nowNanos);
    }

    @Override
    public final void cancelReservations(boolean ofHead, boolean ofProbes) {
        if (ofHead && ofProbes) {
            policy.cancelReservations();
        }
    }

    @Override
    public final void untake(int permits, long nowNanos) {
        if (permits > 0) {
            comeBack(permits, nowNanos, policy::putBack); // the thread may have been held up since
        }
    }

    @Override
    public final long nanosUntilDecided(int permits, long nowNanos) {
        return policy.nanosUntilDecided(permits, nowNanos);
    }

    /** The waits of waiting requests may have become longer: they are computed anew in the next pass, whatever triggers it. */
    abstract void lookAgain();

    // Leases that go out

    @Override
    public final Lease countGranted(int permits, long takenAtNanos) {
        count(1, 0);
        return new PermitLease(this, permits, null, origin(null, takenAtNanos), takenAtNanos);
    }

    final Lease countRefused(
            int permits, RefusalReason reason, @Nullable Throwable cause, long retryNanos, long nowNanos) {
        count(0, 1);
        Origin origin = cause == null ? origin(reason, nowNanos) : Origin.of(sourceAt(nowNanos), cause);
        return new PermitLease(this, permits, reason, origin, retryNanos);
    }

    /** Returns where the decision was made, or null if that is this JVM and nothing failed. */
    private @Nullable Origin origin(@Nullable RefusalReason reason, long nowNanos) {
        boolean hasFailed = reason == RefusalReason.BACKEND_UNAVAILABLE;
        return terms.isRemote() || hasFailed
                ? Origin.of(sourceAt(nowNanos), hasFailed ? failureAt(nowNanos) : null)
                : null;
    }

    /** Returns the source that the policy names. If it throws, the decision is delivered all the same, as local. */
    final DecisionSource sourceAt(long nowNanos) {
        try {
            return policy.source(nowNanos);
        } catch (Throwable broken) {
            return DecisionSource.LOCAL;
        }
    }

    private @Nullable Throwable failureAt(long nowNanos) {
        try {
            return policy.failure(nowNanos);
        } catch (Throwable broken) {
            return broken;
        }
    }

    final void count(int acquired, int refused) {
        Tally tally = terms.tally;
        if (tally != null) {
            tally.add(acquired, refused);
            return;
        }
        long before = (long) COUNTS.getAndAdd(this, TwoCounts.of(acquired, refused));
        if (TwoCounts.areMany(before)) {
            useTally();
        }
    }

    /** Threads that have not seen the tally yet continue to count here: the count of an account is the sum of both. */
    private void useTally() {
        Terms before = terms;
        while (before.tally == null && !replaceTerms(before, before.withTally())) {
            before = terms;
        }
        Tally tally = terms.tally;
        if (tally != null) {
            long moved = (long) COUNTS.getAndSet(this, 0L);
            tally.add(TwoCounts.acquired(moved), TwoCounts.refused(moved));
        }
    }

    final RateLimiterStatistics statistics(long available, long queuedPermits) {
        Tally tally = terms.tally;
        long here = counts;
        long acquired = TwoCounts.acquired(here) + (tally == null ? 0 : tally.acquired());
        long refused = TwoCounts.refused(here) + (tally == null ? 0 : tally.refused());
        return new RateLimiterStatistics(available, queuedPermits, acquired, refused);
    }

    // Leases that come back

    final void settle(int granted, int actual, boolean released, long takenAtNanos, long nowNanos) {
        try {
            policy.settle(granted, actual, released, takenAtNanos, nowNanos);
        } finally { // if one of several limits throws, the others have been settled
            if (actual > granted && !confirmCharge()) {
                terms.chargeLate(key, actual - granted);
            } else if (actual > granted) {
                lookAgain();
            } else if (actual < granted) {
                signal();
            }
        }
    }

    /** As {@link #confirmUse}, for a charge: if permits are kept in a store, the charge counts there, even if this is retired. */
    final boolean confirmCharge() {
        return confirmUse() || terms.isRemote();
    }

    /** Returns those permits of a lease that are still held, if the limit is one whose permits come back by closing leases. */
    final void release(int granted, int stillOut) {
        if (policy.returnsOnRelease() && granted > 0) {
            try {
                if (!policy.releaseSome(stillOut)) {
                    releaseNow(stillOut);
                }
            } finally {
                signal();
            }
        }
    }

    /** Releases permits even if the clock throws: nothing else would return them, and the time is only used for reporting. */
    private void releaseNow(int stillOut) {
        long now = 0;
        try {
            now = now();
        } finally {
            policy.release(stillOut, now);
        }
    }

    /** Undoes a lease. */
    final void giveBack(int permits, long takenAtNanos) {
        undo(permits, takenAtNanos, policy::giveBack);
    }

    /** Undoes a lease that nobody but the taker has seen. */
    final void putBack(int permits, long takenAtNanos) {
        undo(permits, takenAtNanos, policy::putBack);
    }

    private void undo(int permits, long takenAtNanos, Undoing how) {
        count(-1, 0);
        if (permits > 0) {
            try {
                comeBack(permits, takenAtNanos, how);
            } finally {
                signal();
            }
        }
    }

    /** If the clock throws, returns only permits that time does not bring back: the others may be back already. */
    private void comeBack(int permits, long takenAtNanos, Undoing how) {
        long now;
        try {
            now = now();
        } catch (Throwable broken) {
            policy.release(permits, takenAtNanos);
            throw broken;
        }
        how.undo(permits, takenAtNanos, now);
    }

    /** A policy's way to undo a take. */
    private interface Undoing {
        void undo(int permits, long takenAtNanos, long nowNanos);
    }
}
