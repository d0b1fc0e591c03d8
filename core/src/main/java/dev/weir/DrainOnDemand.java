package dev.weir;

import dev.weir.handle.Handles;
import dev.weir.limit.PermitPolicy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A limiter's {@link PermitDrain}, created lazily: when a request first waits, or for a pause. A limiter that is one of many
 * drops it again when it is unused. Waits are told here, as a pause makes them longer, and those who wait may have missed permits that
 * the policy took in order to tell one.
 */
abstract class DrainOnDemand extends PermitAccount {

    /*
     * A thread that uses a drain first leaves a mark in it, a request or a pause, and then checks that the mark counts; a thread
     * that drops the drain retires it first (see Retirable). So a drain is dropped only when it is empty and nobody is inside, and
     * a thread that comes too late creates the next one. A request also checks the limiter, which may be retired as well.
     *
     * A thread that only reads takes the drain as it is. One that has been retired meanwhile was empty and held up no request.
     */

    private static final VarHandle DRAIN =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(DrainOnDemand.class, "drain", PermitDrain.class));

    /** The time of a request that has not read the clock. */
    private static final long NOT_READ = 0;

    private volatile @Nullable PermitDrain drain;

    DrainOnDemand(Terms terms, @Nullable Object key) {
        super(terms, key);
    }

    /**
     * Enqueues a request, which waits for permits, or, if they have to be there at once, only for the answer of a store. Returns
     * null, and enqueues nothing, if this limiter has been retired.
     */
    final @Nullable PermitRequest enqueue(
            int permits, long maxWaitNanos, boolean awaitsStoreOnly, long nowNanos, PermitListener listener) {
        while (true) {
            PermitDrain drain = drainForUse();
            Waiter waiter = drain.newWaiter(permits, maxWaitNanos, awaitsStoreOnly, nowNanos, listener);
            if (!drain.confirmUse()) {
                drain.noLongerExpect(waiter);
            } else if (!confirmUse()) {
                drain.noLongerExpect(waiter);
                return null;
            } else {
                drain.enter(waiter);
                return waiter;
            }
        }
    }

    /** Grants nothing for {@code nanos} from now on. */
    final void pause(long nanos) {
        PermitDrain drain;
        do {
            drain = drainForUse();
            drain.pause.extendTo(now() + nanos);
        } while (!drain.confirmUse());
    }

    private PermitDrain drainForUse() {
        while (true) {
            PermitDrain seen = drain;
            if (seen != null && !seen.isRetired()) {
                return seen;
            }
            DRAIN.compareAndSet(this, seen, new PermitDrain(this));
        }
    }

    /** Drops an unused drain, if memory matters more than the cost of creating the next one. */
    @Override
    public final void left(PermitDrain seen) {
        if (terms().isOneOfMany() && seen.retire()) {
            DRAIN.compareAndSet(this, seen, null);
        }
    }

    @Override
    public final Lease countRefused(
            Waiter waiter, RefusalReason reason, @Nullable Throwable cause, long retryNanos, long nowNanos) {
        return countRefused(waiter.permits, reason, cause, retryNanos, nowNanos);
    }

    @Override
    public final boolean isSteady() {
        return !terms().isRemote() && !terms().isNewestFirst;
    }

    @Override
    public final void signal() {
        PermitDrain waited = drain;
        if (waited != null) {
            waited.signal();
        }
    }

    /**
     * Called after the policy was asked, also if it threw: who waits may have missed permits that were taken for a moment. Most often
     * nobody waits, which is quickly told.
     */
    final void signalAfterLook() {
        if (drain != null && policy.findsWaitByTaking()) {
            signal();
        }
    }

    @Override
    final void lookAgain() {
        PermitDrain waited = drain;
        if (waited != null) {
            waited.lookAgain();
        }
    }

    final void limitChanged() {
        PermitDrain waited = drain;
        if (waited != null) {
            waited.limitChanged();
        }
    }

    /** Returns whether a request has to wait because of others ahead or a pause. */
    final boolean isHeldUp(Terms terms, int permits, long nowNanos) {
        PermitDrain drain = this.drain;
        return drain != null
                && ((permits > 0 && !terms.isNewestFirst && drain.waitingPermits() > 0) || pauseLeft(nowNanos) > 0);
    }

    /** The same for the request of a chain. */
    final boolean isHeldUp(Terms terms, ChainRequest chainRequest, long nowNanos) {
        PermitDrain drain = this.drain;
        return drain != null
                && ((chainRequest.permits() > 0 && !terms.isNewestFirst && drain.areOthersBefore(chainRequest))
                        || pauseLeft(nowNanos) > 0);
    }

    /** Returns how long the pause still lasts; zero if there is none. */
    final long pauseLeft(long nowNanos) {
        PermitDrain drain = this.drain;
        return drain == null ? 0 : drain.pause.nanosLeft(timeFor(nowNanos));
    }

    /**
     * Reads the clock for a request, unless the policy does not need the time, as only closing leases returns permits. Called before
     * looking who waits: a thread that is held up in between must not take what comes back meanwhile.
     */
    final long timeOfRequest(Terms terms) {
        return policy.isTimed() ? terms.now() : NOT_READ;
    }

    /** Returns that time where it is needed all the same. */
    private long timeFor(long nowNanos) {
        return nowNanos == NOT_READ ? now() : nowNanos;
    }

    private long pauseLeftAt(long nanos) {
        PermitDrain drain = this.drain;
        return drain == null ? 0 : drain.pause.nanosLeftAt(nanos);
    }

    final boolean isExpecting() {
        PermitDrain drain = this.drain;
        return drain != null && drain.isExpecting();
    }

    final long waitingPermits() {
        PermitDrain drain = this.drain;
        return drain == null ? 0 : drain.waitingPermits();
    }

    @Override
    public final long nanosUntilFirst(long nowNanos) {
        PermitDrain drain = this.drain;
        int permits = drain == null ? 0 : drain.permitsOfFirst();
        if (permits == 0) {
            return 0;
        }
        return nanosBesidesPause(0, permits, nowNanos);
    }

    /**
     * Returns how long a request that must not be delayed may wait for the answer of a store; zero if something else would delay it,
     * too.
     */
    final long nanosUntilAnswered(int permits, long nowNanos) {
        if (permits == 0 || pauseLeft(nowNanos) > 0) {
            return 0;
        }
        try {
            return nanosUntilDecided(permits, nowNanos);
        } finally {
            signalAfterLook();
        }
    }

    /** As {@link PermitPolicy#nanosUntil}. */
    final long nanosBesidesPause(long ahead, int permits, long nowNanos) {
        try {
            return policy.nanosUntil(ahead, permits, nowNanos);
        } finally {
            signalAfterLook();
        }
    }

    @Override
    public final long nanosUntil(long ahead, int permits, long nowNanos) {
        long paused = pauseLeftAt(nowNanos);
        long early = askedBefore(nowNanos + paused);
        return toldAfter(paused, early, nanosBesidesPause(ahead, permits, nowNanos + paused - early));
    }

    @Override
    public final long nanosAtLeast(Ahead ahead, int permits, long nowNanos) {
        long paused = pauseLeftAt(nowNanos);
        long early = askedBefore(nowNanos + paused);
        long asked = nowNanos + paused - early;
        try {
            return toldAfter(paused, early, policy.nanosAtLeast(ahead.requests(), ahead.permits(), permits, asked));
        } finally {
            signalAfterLook();
        }
    }

    /** Returns how long before a time to come the policy is asked about it: one that takes permits to tell must take them now. */
    private long askedBefore(long nanos) {
        return policy.findsWaitByTaking() ? Math.max(0, nanos - now()) : 0;
    }

    /** Returns a wait that the policy told, for so long before the end of a pause, as one from now on. */
    private static long toldAfter(long pausedNanos, long earlyNanos, long waitNanos) {
        boolean isKnown = waitNanos != PermitPolicy.AWAIT_SIGNAL;
        return Pause.andThen(pausedNanos, isKnown ? Math.max(0, waitNanos - earlyNanos) : waitNanos);
    }
}
