package dev.weir;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The books of one limiter: the policy, the terms, the leases counted, and what comes back from them later.
 *
 * <p>Kept in few fields, as there may be a million of them. Those of a limiter that is one of many know its key, by which a
 * lease that outlived its limiter finds the successor.
 */
abstract class PermitAccount extends Retirable {

    private static final VarHandle TERMS;
    private static final VarHandle COUNTS;

    /** From so many leases on, granted or refused, an account uses a tally. */
    private static final int MANY = 1 << 30;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TERMS = lookup.findVarHandle(PermitAccount.class, "terms", Terms.class);
            COUNTS = lookup.findVarHandle(PermitAccount.class, "counts", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final PermitPolicy policy;

    private final @Nullable Object key;
    private volatile Terms terms;

    /** What is not in a tally: leases refused in the upper half, those granted in the lower, which may be below zero. */
    private volatile long counts;

    PermitAccount(Terms terms, @Nullable Object key) {
        this.terms = terms;
        this.key = key;
        this.policy = terms.newPolicy(key, terms.now());
    }

    public final String name() {
        return terms.name;
    }

    public final Limit limit() {
        return terms.limit;
    }

    public final TimeSource time() {
        return terms.time;
    }

    public final void checkOpen() {
        terms.checkOpen();
    }

    final @Nullable Object key() {
        return key;
    }

    public final Terms terms() {
        return terms;
    }

    /** Changes the limit of the policy, and with it the terms. */
    final void change(Limit limit) {
        Objects.requireNonNull(limit, "limit");
        Terms before = terms;
        before.checkOpen();
        if (limit.getClass() != before.limit.getClass()) {
            throw new IllegalArgumentException(
                    "limit must be of the same kind as " + before.limit + ", but is " + limit);
        }
        policy.reconfigure(limit, before.now());
        boolean overtaken = false;
        while (!before.isClosed() && !replaceTerms(before, before.with(limit))) {
            before = terms;
            overtaken = true;
        }
        if (overtaken) {
            followTerms();
        }
    }

    /** Where several threads reconfigure at once, the last one to change the terms is right. */
    private void followTerms() {
        Limit latest;
        do {
            latest = terms.limit;
            policy.reconfigure(latest, now());
        } while (terms.limit != latest);
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

    public final void charge(int permits) {
        if (permits < 0) {
            throw negativeCharge(limit(), permits);
        }
        terms.checkOpen();
        if (permits > 0) {
            policy.charge(permits, now());
            lookAgain();
        }
    }

    static IllegalArgumentException negativeCharge(Limit limit, int permits) {
        return new IllegalArgumentException("permits charged to " + limit + " must not be negative, but is " + permits);
    }

    // Permits for those who wait

    public final int capacity() {
        return Math.min(policy.capacity(), terms.limit.capacity());
    }

    public final long tryTake(Waiter waiter, long waiting, long nowNanos) {
        return checked(
                waiter.permits == 0 || terms.isNewestFirst
                        ? policy.tryTake(waiter.permits, nowNanos)
                        : policy.tryTakeFirst(waiter.permits, waiting, waiter.longestWaitNanos(nowNanos), nowNanos));
    }

    /** Answers a wait that a policy told. Less than none would be taken for something else, and whoever waits for it forgotten. */
    final long checked(long wait) {
        if (wait < 0) {
            throw new IllegalStateException(policy.getClass().getName() + ", the policy of " + limit()
                    + ", told a wait of " + wait + " nanoseconds: it must not be negative");
        }
        return wait;
    }

    public final @Nullable Throwable trouble(long nowNanos) {
        return policy.trouble(nowNanos);
    }

    public final void standBack() {
        policy.standBack();
    }

    public final void untake(int permits, long nowNanos) {
        if (permits > 0) {
            comeBack(permits, nowNanos, policy::putBack); // the thread may have been held up since
        }
    }

    public final long nanosUntil(long ahead, int permits, long nowNanos) {
        long paused = pausedAt(nowNanos);
        return Pause.andThen(paused, policy.nanosUntil(ahead, permits, nowNanos + paused));
    }

    public final long nanosAtLeast(long ahead, int permits, long nowNanos) {
        return policy.nanosAtLeast(ahead, permits, nowNanos);
    }

    /** Returns how long nobody passes from then on. */
    abstract long pausedAt(long nanos);

    /** Has those who wait looked after, as permits may be there for them. */
    public abstract void signal();

    /** Who waits may have to wait for longer than was said: has that noticed as soon as anything happens. */
    abstract void lookAgain();

    // Leases that go out

    public final Lease countGranted(int permits, long takenAtNanos) {
        count(1, 0);
        return new PermitLease(this, permits, null, origin(terms, null, takenAtNanos), takenAtNanos);
    }

    public final Lease countRefused(
            int permits, RefusalReason reason, @Nullable Throwable cause, long retryNanos, long nowNanos) {
        count(0, 1);
        Origin origin = cause == null ? origin(terms, reason, nowNanos) : Origin.of(sourceAt(nowNanos), cause);
        return new PermitLease(this, permits, reason, origin, retryNanos);
    }

    /** Who decided, where that is not this JVM as ever. */
    final @Nullable Origin origin(Terms terms, @Nullable RefusalReason reason, long nowNanos) {
        return terms.isRemote()
                ? Origin.of(
                        sourceAt(nowNanos), reason == RefusalReason.BACKEND_UNAVAILABLE ? troubleAt(nowNanos) : null)
                : null;
    }

    /** As the policy says. What has been decided is to be told, though a policy may fail to tell who decided it. */
    final DecisionSource sourceAt(long nowNanos) {
        try {
            return policy.source(nowNanos);
        } catch (RuntimeException | Error broken) {
            return DecisionSource.LOCAL;
        }
    }

    private @Nullable Throwable troubleAt(long nowNanos) {
        try {
            return policy.trouble(nowNanos);
        } catch (RuntimeException | Error broken) {
            return broken;
        }
    }

    final void count(int acquired, int refused) {
        Tally tally = terms.tally;
        if (tally != null) {
            tally.add(acquired, refused);
            return;
        }
        long before = (long) COUNTS.getAndAdd(this, ((long) refused << Integer.SIZE) + acquired);
        if (acquiredIn(before) >= MANY || refusedIn(before) >= MANY) {
            useTally();
        }
    }

    /** Whoever has not yet seen the tally goes on to count here: what an account has counted is in both together. */
    private void useTally() {
        Terms before = terms;
        while (before.tally == null && !replaceTerms(before, before.withTally())) {
            before = terms;
        }
        Tally tally = terms.tally;
        if (tally != null) {
            long moved = (long) COUNTS.getAndSet(this, 0L);
            tally.add(acquiredIn(moved), refusedIn(moved));
        }
    }

    private static int acquiredIn(long counts) {
        return (int) counts;
    }

    private static int refusedIn(long counts) {
        return (int) ((counts - acquiredIn(counts)) >> Integer.SIZE);
    }

    final RateLimiterStatistics statistics(long available, long queuedPermits) {
        Tally tally = terms.tally;
        long here = counts;
        long acquired = acquiredIn(here) + (tally == null ? 0 : tally.acquired());
        long refused = refusedIn(here) + (tally == null ? 0 : tally.refused());
        return new RateLimiterStatistics(available, queuedPermits, acquired, refused);
    }

    // Leases that come back

    final void settle(int granted, int actual, boolean released, long takenAtNanos, long nowNanos) {
        policy.settle(granted, actual, released, takenAtNanos, nowNanos);
        if (actual > granted && !keepCharge()) {
            terms.chargeLate(key, actual - granted);
        } else if (actual > granted) {
            lookAgain();
        } else if (actual < granted) {
            signal();
        }
    }

    /** As {@link #keep}, for a charge: where permits are kept elsewhere it counts there, whatever becomes of this. */
    final boolean keepCharge() {
        return keep() || terms.isRemote();
    }

    /** Returns what is still out of the permits that were granted. */
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

    /** A clock that throws keeps no permit out: nothing else would ever bring it back, and when it came is only told. */
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

    /** Undoes a lease that nobody has seen but who took it. */
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

    /** By a clock that throws, only what time does not bring back: what it does may be back already. */
    private void comeBack(int permits, long takenAtNanos, Undoing how) {
        long now;
        try {
            now = now();
        } catch (RuntimeException | Error broken) {
            policy.release(permits, takenAtNanos);
            throw broken;
        }
        how.undo(permits, takenAtNanos, now);
    }

    /** A way in which a policy undoes a take. */
    private interface Undoing {
        void undo(int permits, long takenAtNanos, long nowNanos);
    }
}
