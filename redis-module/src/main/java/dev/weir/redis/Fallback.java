package dev.weir.redis;

import dev.weir.limit.AllOf;
import dev.weir.limit.PermitPolicy;
import java.util.concurrent.atomic.AtomicLong;

/** Decides in an outage, as {@link WhenUnavailable} says, and records the usage to be reported to the store afterwards. */
final class Fallback {

    private final WhenUnavailable choice;

    /** Whether the limit is a single one that counts permits: of several, a policy returns only how much one of them has left. */
    private final boolean isOfPermits;

    /** Whether a request still counts when all of its permits have been given back. */
    private final boolean countsCalls;

    private final OwnShare share;

    /** Permits not yet reported to the store, the number of requests that took them, and when the latest were taken. */
    private final AtomicLong untold = new AtomicLong();

    private final AtomicLong untoldCalls = new AtomicLong();
    private volatile long latestNanos;

    /** When the latest usage was reported: what was taken before was reported, too. */
    private final AtomicLong toldNanos;

    /** Permits charged in addition, if the share does not say how much of what was taken still counts. */
    private final AtomicLong untoldCharges = new AtomicLong();

    Fallback(FleetTerms terms, OwnShare share, long nowNanos) {
        this.choice = terms.settings().whenUnavailable();
        this.isOfPermits = !(terms.limit() instanceof AllOf) && !terms.countsCalls();
        this.countsCalls = terms.countsCalls();
        this.share = share;
        this.toldNanos = new AtomicLong(nowNanos);
    }

    boolean isRefusing() {
        return choice == WhenUnavailable.REFUSE;
    }

    long tryTake(int permits, long nowNanos) {
        long wait = switch (choice) {
            case REFUSE -> PermitPolicy.AWAIT_SIGNAL;
            case ALLOW -> PermitPolicy.TAKEN;
            case LOCAL -> share.tryTake(permits, nowNanos);
        };
        if (wait == PermitPolicy.TAKEN && permits > 0) {
            tellLater(permits, 1, nowNanos);
        }
        return wait;
    }

    long available(long whenFull, long nowNanos) {
        return switch (choice) {
            case REFUSE -> 0;
            case ALLOW -> whenFull;
            case LOCAL -> share.available(nowNanos);
        };
    }

    /** Undoes a take decided here. */
    void giveBack(int permits, Portion portion, long takenAtNanos, long nowNanos) {
        tellLess(permits, portion.calls(), takenAtNanos);
        if (choice == WhenUnavailable.LOCAL) {
            share.giveBack(permits, portion, takenAtNanos, nowNanos);
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
        tellLater(unsent.owed().permits(), unsent.owed().calls(), nowNanos);
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
        if (permits > 0 || calls > 0) {
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
        return hasAdmitted() ? Math.max(charged, nanosLeft(periodNanos, nowNanos)) : charged;
    }

    private boolean hasAdmitted() {
        return untold.get() > 0 || (countsCalls && untoldCalls.get() > 0);
    }

    /** Returns how long the latest permits still count that the share does not know of. */
    private long nanosLeft(long periodNanos, long nowNanos) {
        return Math.max(0, periodNanos - Math.max(0, nowNanos - latestNanos));
    }

    /** Returns whether there is usage that has not been reported. */
    boolean isOwing() {
        return hasAdmitted() || untoldCharges.get() > 0;
    }

    /** Returns, and clears, the usage to charge at the store: what has not been reported and still counts. */
    Owed owed(FleetTerms terms, long nowNanos) {
        toldNanos.updateAndGet(told -> nowNanos - told > 0 ? nowNanos : told);
        long taken = untold.getAndSet(0);
        long calls = untoldCalls.getAndSet(0);
        long charged = untoldCharges.getAndSet(0);
        if (terms.periodNanos() == 0) {
            return Owed.NOTHING; // held permits are reported instead
        }
        long missing = share.missing(terms.limit(), nowNanos);
        if (choice == WhenUnavailable.LOCAL && isOfPermits) {
            return Owed.charged(Math.min(taken, missing));
        }
        Owed charges = charges(charged, missing, nowNanos);
        if (nanosLeft(terms.periodNanos(), nowNanos) == 0) {
            return charges;
        }
        return charges.and(isOfPermits ? Owed.charged(Math.min(taken, terms.most())) : Owed.admitted(taken, calls));
    }

    /** Of several limits the share tells what is missing of the one that has least; until all are full, others may count the rest. */
    private Owed charges(long charged, long missing, long nowNanos) {
        long known = Math.min(charged, missing);
        boolean mayCountMore = !isOfPermits && share.nanosUntilFull(nowNanos) > 0;
        return Owed.charged(known).and(mayCountMore ? Owed.admitted(charged - known, 0) : Owed.NOTHING);
    }
}
