package dev.weir.redis;

import dev.weir.handle.Handles;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * What this node may take of a limit without the other nodes, and how much of that is in use. A request larger than the share waits for
 * all of it and then runs it into debt: so it is granted in the end, and paid for.
 */
final class OwnShare {

    private static final VarHandle IN_USE =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(OwnShare.class, "inUse", InUse.class));

    private final NodeSettings settings;
    private final Supplier<FleetState> state;
    private final PermitPolicy share;

    /** What each part of the share has when it is full; while the share is being changed the most it has before or after. */
    private volatile long[] whenFull;

    /** What the share counts as in use, if permits return on release. */
    private volatile InUse inUse;

    /** Creates the share of a limit. Its state tells how many permits the leases of this node hold. */
    OwnShare(FleetTerms terms, Supplier<FleetState> state, long nowNanos) {
        this.settings = terms.settings();
        this.state = state;
        Limit limit = of(terms.limit());
        this.share = limit.newPolicy(nowNanos);
        this.whenFull = whenFull(limit);
        this.inUse = new InUse(0, 0, terms.countsCalls());
    }

    /** With LOCAL, this node's part of a limit; otherwise all of it, to know how much of what was charged still counts. */
    private Limit of(Limit limit) {
        return settings.whenUnavailable() == WhenUnavailable.LOCAL
                ? settings.shares().of(limit)
                : limit;
    }

    private static long[] whenFull(Limit share) {
        return LimitPart.of(share).stream().mapToLong(LimitPart::whenFull).toArray();
    }

    /** Returns how many permits a request takes here: all there are for a larger one, which runs into debt for the others. */
    int most(int permits) {
        return Math.min(permits, share.capacity());
    }

    /**
     * Decides as {@link PermitPolicy#tryTake} does, where the request takes {@code most} of its permits here. What is taken is to be
     * recorded as held by this node, and then as {@link #nowInUse}: as many, though the share may have been changed meanwhile.
     */
    long tryTake(int permits, int most, long nowNanos) {
        freeWhatHasEnded(nowNanos);
        return permits > most ? takeMore(permits, most, nowNanos) : share.tryTake(permits, nowNanos);
    }

    private long takeMore(int permits, int most, long nowNanos) {
        long wait = share.nanosUntilFull(nowNanos);
        if (wait > 0) {
            return wait;
        }
        long taken = share.tryTake(most, nowNanos);
        if (taken == PermitPolicy.TAKEN) {
            share.charge(permits - most, nowNanos);
        }
        return taken;
    }

    /** Takes permits that the store has granted of the share, too; if it has no longer that many, it owes them. */
    void take(int permits, long nowNanos) {
        freeWhatHasEnded(nowNanos);
        int most = most(permits);
        int taken = share.tryTake(most, nowNanos) == PermitPolicy.TAKEN ? most : 0;
        nowInUse(taken);
        if (taken < permits) {
            share.charge(permits - taken, nowNanos);
        }
    }

    void charge(int permits, long nowNanos) {
        share.charge(permits, nowNanos);
    }

    /** Undoes a take; where permits return on release, as far as they are counted as in use. */
    void giveBack(int permits, Portion portion, long takenAtNanos, long nowNanos) {
        boolean isInUse = portion.isHeld() && share.returnsOnRelease();
        int here = isInUse ? noLongerInUse(permits, portion) : permits;
        if (portion.isPart() && here > 0) {
            share.settle(here, 0, !portion.isHeld(), takenAtNanos, nowNanos);
        } else if (!portion.isPart() && here == permits) {
            share.giveBack(permits, takenAtNanos, nowNanos);
        } else if (!portion.isPart() && here >= 0) {
            share.release(here, nowNanos);
        }
    }

    /**
     * Returns the permits of a lease that has ended while the store decides, as far as they are counted as in use. Whether this node
     * or the store granted the lease is not known: while any are in use, a lease granted by the store frees the share instead.
     */
    void release(int permits, long nowNanos) {
        int here = noLongerInUse(permits, Portion.ALL);
        if (here >= 0) {
            share.release(here, nowNanos);
        }
    }

    long available(long nowNanos) {
        freeWhatHasEnded(nowNanos);
        return share.available(nowNanos);
    }

    /**
     * Returns how much is missing of all that each part of it has: of what was taken of the part, what still counts. While the share is
     * being changed, perhaps more, as what is missing is reported to the store then, and never again.
     */
    long[] missing(long nowNanos) {
        long[] full;
        long[] missing;
        do {
            full = whenFull;
            missing = share.availableOfEach(nowNanos);
        } while (full != whenFull);
        for (int i = 0; i < missing.length; i++) {
            missing[i] = Math.max(0, full[i] - missing[i]);
        }
        return missing;
    }

    /** Returns how long until it has that many permits; for more than it ever has, until it has all. */
    long nanosUntil(int permits, long nowNanos) {
        freeWhatHasEnded(nowNanos);
        return permits > share.capacity()
                ? share.nanosUntilFull(nowNanos)
                : share.nanosUntil(0, Math.max(1, permits), nowNanos);
    }

    long nanosUntilFull(long nowNanos) {
        freeWhatHasEnded(nowNanos);
        return share.nanosUntilFull(nowNanos);
    }

    void reconfigure(Limit limit, long nowNanos) {
        Limit changed = of(limit);
        long[] before = whenFull;
        long[] after = whenFull(changed);
        whenFull = IntStream.range(0, after.length)
                .mapToLong(i -> Math.max(before[i], after[i]))
                .toArray();
        share.reconfigure(changed, nowNanos);
        whenFull = after;
    }

    /**
     * Frees what is counted as in use beyond what leases of this node hold in all. So a lease that ends while the share decides counts
     * as one of the store's as long as it may be one: otherwise each of those would make room for another, and the node would go on
     * with both.
     *
     * <p>Done whenever the share is asked, so nothing has to be done when a lease ends. What is in use is read before the state: as
     * permits are held before they are in use, no more can be in use than leases hold then, unless some have ended.
     */
    private void freeWhatHasEnded(long nowNanos) {
        if (!share.returnsOnRelease()) {
            return;
        }
        InUse before;
        InUse after;
        do {
            before = inUse;
            FleetState now = state.get();
            Held held = now.held();
            Hand hand = now.hand();
            after = before.atMost(held.permits() - hand.permits(), held.calls() - hand.calls());
            if (after.equals(before)) {
                return;
            }
        } while (!IN_USE.compareAndSet(this, before, after));
        share.release((int) (before.permits - after.permits), nowNanos);
        for (long others = before.calls - after.calls - 1; others > 0; others--) {
            share.release(0, nowNanos);
        }
    }

    /** Counts what was taken as in use, where that is counted. */
    void nowInUse(int permits) {
        if (permits == 0 || !share.returnsOnRelease()) {
            return;
        }
        InUse before;
        do {
            before = inUse;
        } while (!IN_USE.compareAndSet(this, before, before.with(permits)));
    }

    /** Returns how many permits were counted as in use for it, or -1 if none were. */
    private int noLongerInUse(int permits, Portion portion) {
        InUse before;
        InUse after;
        do {
            before = inUse;
            after = before.without(permits, portion.calls());
            if (after.equals(before)) {
                return -1;
            }
        } while (!IN_USE.compareAndSet(this, before, after));
        return (int) (before.permits - after.permits);
    }

    /**
     * What is in use.
     *
     * @param permits how many permits
     * @param calls of how many requests, if they are counted; when the last of them ends, all permits are free
     * @param isCounting whether requests are counted
     */
    private record InUse(long permits, long calls, boolean isCounting) {

        InUse with(int taken) {
            return new InUse(permits + taken, isCounting ? calls + 1 : 0, isCounting);
        }

        /** Where requests are counted it is these that tell: permits end with them. */
        InUse atMost(long heldPermits, long heldCalls) {
            if (isCounting && calls <= heldCalls) {
                return this;
            }
            long most = isCounting && heldCalls <= 0 ? 0 : Math.max(0, heldPermits);
            return new InUse(Math.min(permits, most), Math.min(calls, Math.max(0, heldCalls)), isCounting);
        }

        InUse without(int returned, int ended) {
            boolean isLast = isCounting && ended > 0 && calls <= ended;
            return new InUse(
                    isLast ? 0 : permits - Math.min(returned, permits),
                    isCounting ? Math.max(0, calls - ended) : calls,
                    isCounting);
        }
    }
}
