package dev.weir;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A limiter's {@link PermitDrain}, which is there only when it is needed: it is made when somebody first waits, or nobody may
 * pass for a while, and a limiter that is one of many drops it when nobody does any more.
 */
abstract class DrainOnDemand extends PermitAccount implements PermitSource {

    /*
     * Who uses a drain leaves a mark in it, a request or a pause, and then asks whether the mark counts; who drops it retires it
     * first (see Retirable). So a drain is dropped only when nobody is in it, and whoever comes too late makes the next one. A
     * request asks the limiter, too, which may be retired as well.
     *
     * Who only looks takes the drain as it is. One that has been retired meanwhile had nobody in it and held nobody up.
     */

    private static final VarHandle DRAIN;

    static {
        try {
            DRAIN = MethodHandles.lookup().findVarHandle(DrainOnDemand.class, "drain", PermitDrain.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable PermitDrain drain;

    DrainOnDemand(Terms terms, @Nullable Object key) {
        super(terms, key);
    }

    /** Has a request wait; answers null, and nobody waits, if this limiter has been retired. */
    final @Nullable PermitRequest enqueue(int permits, long maxWaitNanos, long nowNanos, PermitListener listener) {
        while (true) {
            PermitDrain drain = drainForUse();
            Waiter waiter = drain.expect(permits, maxWaitNanos, nowNanos, listener);
            if (!drain.keep()) {
                drain.noLongerExpect(waiter);
            } else if (!keep()) {
                drain.noLongerExpect(waiter);
                return null;
            } else {
                drain.enter(waiter);
                return waiter;
            }
        }
    }

    /** Has nobody pass for so long from now on. */
    final void pause(long nanos) {
        PermitDrain drain;
        do {
            drain = drainForUse();
            drain.pause.extendTo(now() + nanos);
        } while (!drain.keep());
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

    /** Drops a drain that nobody waits in, if memory counts for more than making the next one. */
    @Override
    public final void left(PermitDrain seen) {
        if (terms().isOneOfMany() && seen.retire()) {
            DRAIN.compareAndSet(this, seen, null);
        }
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

    /** Tells whether anybody may be held up, as far as is known without a clock. */
    final boolean mayHoldUp() {
        return drain != null;
    }

    /** Tells whether others are first, or nobody passes. */
    final boolean isHeldUp(Terms terms, int permits, long nowNanos) {
        PermitDrain drain = this.drain;
        return drain != null
                && ((permits > 0 && !terms.isNewestFirst && drain.waitingPermits() > 0) || pauseLeft(nowNanos) > 0);
    }

    /** The same for what a chain is asked for. */
    final boolean isHeldUp(Terms terms, Asked asked, long nowNanos) {
        PermitDrain drain = this.drain;
        return drain != null
                && ((asked.permits() > 0 && !terms.isNewestFirst && drain.areOthersBefore(asked))
                        || pauseLeft(nowNanos) > 0);
    }

    /** Returns how long nobody passes yet. */
    final long pauseLeft(long nowNanos) {
        PermitDrain drain = this.drain;
        return drain == null ? 0 : drain.pause.nanosLeft(timeFor(nowNanos));
    }

    /** A request may have begun before there was a drain, and without a time, which is zero then. */
    private long timeFor(long nowNanos) {
        return nowNanos == 0 ? now() : nowNanos;
    }

    @Override
    final long pausedAt(long nanos) {
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

    /** Returns when the first of those who wait is due; zero or less if nobody waits for a time. */
    final long nanosUntilDue(long nowNanos) {
        PermitDrain drain = this.drain;
        return drain == null ? 0 : drain.nanosUntilDue(timeFor(nowNanos));
    }
}
