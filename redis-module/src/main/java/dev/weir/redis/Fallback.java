package dev.weir.redis;

import dev.weir.limit.PermitPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Decides in an outage, as {@link WhenUnavailable} says, and records the usage to be reported to the store afterwards. */
final class Fallback {

    private final WhenUnavailable choice;
    private final OwnShare share;

    /** Usage that the share counts, too, and so tells how much of it still counts: its own grants, and what was charged. */
    private final Unreported counted;

    /** Grants that no share counts. */
    private final Unreported allowed;

    /** When the latest of those were made. */
    private volatile long latestNanos;

    /** When the latest usage was reported: what was taken before was reported, too. */
    private final AtomicLong reportedNanos;

    Fallback(FleetTerms terms, OwnShare share, long nowNanos) {
        this.choice = terms.settings().whenUnavailable();
        this.share = share;
        this.counted = new Unreported(terms.parts());
        this.allowed = new Unreported(terms.parts());
        this.reportedNanos = new AtomicLong(nowNanos);
    }

    boolean isRefusing() {
        return choice == WhenUnavailable.REFUSE;
    }

    /** Returns how many permits of the share a request takes, as {@link OwnShare#most}. */
    int ofShare(int permits) {
        return share.most(permits);
    }

    /** Decides as {@link PermitPolicy#tryTake} does; what is taken is to be recorded as held by this node, and then as taken. */
    long tryTake(int permits, int ofShare, long nowNanos) {
        return switch (choice) {
            case REFUSE -> PermitPolicy.AWAIT_SIGNAL;
            case ALLOW -> PermitPolicy.TAKEN;
            case LOCAL -> share.tryTake(permits, ofShare, nowNanos);
        };
    }

    /** Records what was taken. */
    void taken(int permits, int ofShare, long nowNanos) {
        if (choice == WhenUnavailable.LOCAL) {
            share.nowInUse(ofShare);
        }
        latestNanos = nowNanos;
        grants().add(permits, 1);
    }

    private Unreported grants() {
        return choice == WhenUnavailable.LOCAL ? counted : allowed;
    }

    long available(long whenFull, long nowNanos) {
        return switch (choice) {
            case REFUSE -> 0;
            case ALLOW -> whenFull;
            case LOCAL -> share.available(nowNanos);
        };
    }

    /** Undoes a take decided here; what has been reported of it stays: what is left to report then is the usage of others. */
    void giveBack(int permits, Portion portion, long takenAtNanos, long nowNanos) {
        if (takenAtNanos - reportedNanos.get() >= 0) {
            grants().deduct(permits, portion.calls());
        }
        if (choice == WhenUnavailable.LOCAL) {
            share.giveBack(permits, portion, takenAtNanos, nowNanos);
        }
    }

    void charge(int permits, long nowNanos) {
        share.charge(permits, nowNanos);
        counted.add(permits, 0);
    }

    /** Records again the usage of a question that was not sent. */
    void recordAgain(Owed unsent, FleetTerms terms, long nowNanos) {
        if (!unsent.ofParts().isEmpty()) {
            latestNanos = nowNanos;
            addAgain(unsent.ofParts(), terms);
        }
        counted.add(unsent.charge(), 0);
        share.charge((int) (unsent.charge() - unsent.inShare()), nowNanos);
    }

    /** The share still counts what it has counted, whether that was sent or not. */
    private void addAgain(List<Long> ofParts, FleetTerms terms) {
        for (int i = 0; i < ofParts.size(); i++) {
            long grants = choice == WhenUnavailable.ALLOW
                    ? Math.min(ofParts.get(i), terms.parts().get(i).most())
                    : 0;
            allowed.addTo(i, grants);
            counted.addTo(i, ofParts.get(i) - grants);
        }
    }

    /** Returns how long what was taken here still counts, for a limit with that period. */
    long nanosUntilFull(long periodNanos, long nowNanos) {
        if (choice == WhenUnavailable.LOCAL) {
            return share.nanosUntilFull(nowNanos);
        }
        long charged = counted.isAny() ? share.nanosUntilFull(nowNanos) : 0;
        return allowed.isAny() ? Math.max(charged, nanosLeft(periodNanos, nowNanos)) : charged;
    }

    /** Returns how long the latest permits still count that the share does not know of. */
    private long nanosLeft(long periodNanos, long nowNanos) {
        return Math.max(0, periodNanos - Math.max(0, nowNanos - latestNanos));
    }

    /** Returns whether there is usage that has not been reported. */
    boolean isOwing() {
        return counted.isAny() || allowed.isAny();
    }

    /**
     * Returns, and clears, the usage to charge at the store: of each part what has not been reported and still counts there. Where time
     * brings nothing back, held permits are reported instead.
     */
    Owed takeOwed(FleetTerms terms, long nowNanos) {
        reportedNanos.updateAndGet(latest -> nowNanos - latest > 0 ? nowNanos : latest);
        long[] usage = counted.takeAll();
        long[] grants = allowed.takeAll();
        long[] missing = share.missing(nowNanos);
        List<Long> owed = new ArrayList<>(missing.length);
        for (int i = 0; i < missing.length; i++) {
            LimitPart part = terms.parts().get(i);
            long still = Math.min(usage[i], missing[i]) + stillAllowed(part, grants[i], nowNanos);
            owed.add(part.periodNanos() == 0 ? 0 : still);
        }
        return Owed.ofParts(owed);
    }

    /** As no share counts them, one full limit at most, from the latest on. */
    private long stillAllowed(LimitPart part, long grants, long nowNanos) {
        return nanosLeft(part.periodNanos(), nowNanos) == 0 ? 0 : Math.min(grants, part.most());
    }
}
