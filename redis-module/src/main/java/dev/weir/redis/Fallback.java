package dev.weir.redis;

import dev.weir.limit.AllOf;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/** Decides in an outage, as {@link WhenUnavailable} says, and records the usage to be reported to the store afterwards. */
final class Fallback {

    private static final VarHandle IN_USE;

    static {
        try {
            IN_USE = MethodHandles.lookup().findVarHandle(Fallback.class, "inUse", InUse.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final WhenUnavailable choice;
    private final Shares shares;

    /** Whether the limit is a single one that counts permits: of several, a policy returns only how much one of them has left. */
    private final boolean isOfPermits;

    /** This node's share with LOCAL; otherwise the limit itself, to know how much of what was charged still counts. */
    private final PermitPolicy share;

    /** What the share counts as in use, if permits return on release. */
    private volatile InUse inUse;

    /** Permits not yet reported to the store, the number of requests that took them, and when the latest were taken. */
    private final AtomicLong untold = new AtomicLong();

    private final AtomicLong untoldCalls = new AtomicLong();
    private volatile long latestNanos;

    /** When the latest usage was reported: what was taken before was reported, too. */
    private final AtomicLong toldNanos;

    /** Permits charged in addition, if the share does not say how much of what was taken still counts. */
    private final AtomicLong untoldCharges = new AtomicLong();

    Fallback(Terms terms, long nowNanos) {
        Limit limit = terms.limit();
        this.choice = terms.manners().whenUnavailable();
        this.shares = terms.manners().shares();
        this.isOfPermits = !(limit instanceof AllOf) && !terms.countsCalls();
        this.share = shareOf(limit).newPolicy(nowNanos);
        this.inUse = new InUse(0, 0, terms.countsCalls());
        this.toldNanos = new AtomicLong(nowNanos);
    }

    private Limit shareOf(Limit limit) {
        return choice == WhenUnavailable.LOCAL ? shares.of(limit) : limit;
    }

    boolean isRefusing() {
        return choice == WhenUnavailable.REFUSE;
    }

    long tryTake(int permits, long nowNanos) {
        if (isRefusing()) {
            return PermitPolicy.AWAIT_SIGNAL;
        }
        if (choice == WhenUnavailable.ALLOW) {
            tellLater(permits, 1, nowNanos);
            return PermitPolicy.TAKEN;
        }
        int most = share.capacity();
        long wait = permits > most ? takeMoreThanTheShare(permits, most, nowNanos) : share.tryTake(permits, nowNanos);
        if (wait == PermitPolicy.TAKEN) {
            tellLater(permits, 1, nowNanos);
            nowInUse(Math.min(permits, most));
        }
        return wait;
    }

    /** Returns how long until the share has that many permits; for more than it ever has, until it has all. */
    long nanosUntilShareHas(int permits, long nowNanos) {
        return permits > share.capacity()
                ? share.nanosUntilFull(nowNanos)
                : share.nanosUntil(0, Math.max(1, permits), nowNanos);
    }

    /** Takes permits that the store has granted of the share, too; if it has no longer that many, it owes them. */
    void takeOfShare(int permits, long nowNanos) {
        int most = Math.min(permits, share.capacity());
        int taken = share.tryTake(most, nowNanos) == PermitPolicy.TAKEN ? most : 0;
        nowInUse(taken);
        chargeShare(permits - taken, nowNanos);
    }

    void chargeShare(int permits, long nowNanos) {
        if (permits > 0) {
            share.charge(permits, nowNanos);
        }
    }

    /** Lets a request larger than the share wait for all of it and then go into debt: so it is granted in the end, and paid for. */
    private long takeMoreThanTheShare(int permits, int most, long nowNanos) {
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

    long available(int capacity, long nowNanos) {
        return switch (choice) {
            case REFUSE -> 0;
            case ALLOW -> capacity;
            case LOCAL -> share.available(nowNanos);
        };
    }

    /** Undoes a take decided here, or a part of one whose rest stays taken. */
    void giveBack(int permits, boolean part, long takenAtNanos, long nowNanos) {
        tellLess(permits, part ? 0 : 1, takenAtNanos);
        if (choice == WhenUnavailable.LOCAL) {
            giveBackToShare(permits, part, takenAtNanos, nowNanos);
        }
    }

    void giveBackToShare(int permits, boolean part, long takenAtNanos, long nowNanos) {
        int here = returnsOnRelease() ? noLongerInUse(permits, part) : permits;
        if (part && here > 0) {
            share.settle(here, 0, false, takenAtNanos, nowNanos);
        } else if (!part && here == permits) {
            share.giveBack(permits, takenAtNanos, nowNanos);
        } else if (!part && here >= 0) {
            share.release(here, nowNanos);
        }
    }

    /** Undoes a part of a take decided here whose lease has been closed. */
    void giveBackWhatTimeReturns(int permits, long takenAtNanos, long nowNanos) {
        tellLess(permits, 0, takenAtNanos);
        if (choice == WhenUnavailable.LOCAL) {
            settleShare(permits, takenAtNanos, nowNanos);
        }
    }

    void settleShare(int permits, long takenAtNanos, long nowNanos) {
        share.settle(permits, 0, true, takenAtNanos, nowNanos);
    }

    boolean returnsOnRelease() {
        return share.returnsOnRelease();
    }

    /**
     * Returns the permits of a lease that has ended to the share, as far as that counts them as in use. Whether this node or the
     * store granted the lease is not known: while the share has any in use, a lease granted by the store frees the share instead;
     * in all, no more are in use than before.
     */
    void release(int permits, long nowNanos) {
        int here = noLongerInUse(permits, false);
        if (here >= 0) {
            share.release(here, nowNanos);
        }
    }

    private void nowInUse(int permits) {
        if (permits == 0 || !returnsOnRelease()) {
            return;
        }
        InUse before;
        do {
            before = inUse;
        } while (!IN_USE.compareAndSet(this, before, before.with(permits)));
    }

    /** Returns how many permits the share counted as in use for it, or -1 if it counts none in use. */
    private int noLongerInUse(int permits, boolean part) {
        InUse before;
        InUse after;
        do {
            before = inUse;
            after = before.without(permits, part);
            if (after.equals(before)) {
                return -1;
            }
        } while (!IN_USE.compareAndSet(this, before, after));
        return (int) (before.permits - after.permits);
    }

    /**
     * What the share counts as in use.
     *
     * @param permits how many permits
     * @param calls of how many requests, if they are counted; when the last of them ends, all permits are free
     * @param isCounting whether requests are counted
     */
    private record InUse(long permits, long calls, boolean isCounting) {

        InUse with(int taken) {
            return new InUse(permits + taken, isCounting ? calls + 1 : 0, isCounting);
        }

        InUse without(int returned, boolean part) {
            boolean isLast = isCounting && !part && calls <= 1;
            return new InUse(
                    isLast ? 0 : permits - Math.min(returned, permits),
                    isCounting && !part ? Math.max(0, calls - 1) : calls,
                    isCounting);
        }
    }

    void charge(int permits, long nowNanos) {
        share.charge(permits, nowNanos);
        if (choice == WhenUnavailable.LOCAL && isOfPermits) {
            tellLater(permits, 0, nowNanos);
        } else {
            untoldCharges.addAndGet(permits);
        }
    }

    /** Records again what could not be told; of what was charged the share counts that many permits already. */
    void tellAgain(Question unsent, long counted, long nowNanos) {
        tellLater(unsent.untold().permits(), unsent.untold().calls(), nowNanos);
        if (unsent.charge() > 0) {
            chargeAgain((int) unsent.charge(), counted, nowNanos);
        }
    }

    private void chargeAgain(int permits, long counted, long nowNanos) {
        int known = choice == WhenUnavailable.LOCAL ? (int) Math.min(permits, counted) : 0;
        if (isOfPermits) {
            tellLater(known, 0, nowNanos);
        } else {
            untoldCharges.addAndGet(known);
        }
        charge(permits - known, nowNanos);
    }

    private void tellLater(long permits, long calls, long nowNanos) {
        if (permits > 0) {
            latestNanos = nowNanos;
            untoldCalls.addAndGet(calls);
            untold.addAndGet(permits);
        }
    }

    /** Deducts permits given back from those to be reported, unless they have been: what is left then is the usage of others. */
    private void tellLess(int permits, int calls, long takenAtNanos) {
        if (takenAtNanos - toldNanos.get() >= 0) {
            untold.updateAndGet(left -> Math.max(0, left - permits)); // they may have been reported meanwhile
            untoldCalls.updateAndGet(left -> Math.max(0, left - calls));
        }
    }

    /** Returns how long what was taken here still counts, for a limit with that period. */
    long nanosUntilFull(long periodNanos, long nowNanos) {
        if (choice == WhenUnavailable.LOCAL) {
            return share.nanosUntilFull(nowNanos);
        }
        long charged = untoldCharges.get() <= 0 ? 0 : share.nanosUntilFull(nowNanos);
        return untold.get() <= 0 ? charged : Math.max(charged, nanosLeft(periodNanos, nowNanos));
    }

    /** Returns how long the latest permits still count that the share does not know of. */
    private long nanosLeft(long periodNanos, long nowNanos) {
        return Math.max(0, periodNanos - Math.max(0, nowNanos - latestNanos));
    }

    /** Returns whether there is usage that has not been reported. */
    boolean isOwing() {
        return untold.get() > 0 || untoldCharges.get() > 0;
    }

    /** Returns, and clears, the usage to charge at the store: what has not been reported and still counts. */
    Owed owed(Terms terms, long nowNanos) {
        toldNanos.updateAndGet(told -> nowNanos - told > 0 ? nowNanos : told);
        long taken = untold.getAndSet(0);
        long calls = untoldCalls.getAndSet(0);
        long charged = untoldCharges.getAndSet(0);
        if (terms.periodNanos() == 0) {
            return Owed.NOTHING; // held permits are reported instead
        }
        long missing = Math.max(0, share.capacity() - share.available(nowNanos));
        if (choice == WhenUnavailable.LOCAL && isOfPermits) {
            return new Owed(Math.min(taken, missing), Untold.NOTHING);
        }
        boolean stillCounts = nanosLeft(terms.periodNanos(), nowNanos) > 0;
        long charge = Math.min(charged, missing);
        if (isOfPermits) {
            return new Owed(charge + (stillCounts ? Math.min(taken, terms.capacity()) : 0), Untold.NOTHING);
        }
        return new Owed(charge, stillCounts ? new Untold(taken, calls) : Untold.NOTHING);
    }

    void reconfigure(Limit limit, long nowNanos) {
        share.reconfigure(shareOf(limit), nowNanos);
    }
}
