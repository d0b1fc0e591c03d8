package dev.weir.redis;

import dev.weir.limit.PermitPolicy;

/**
 * The time after an outage in which the store decides again, but this node takes no more than its share: other nodes may still be
 * alone with theirs, which the store has not heard of. By its end all nodes have reported their usage.
 */
final class Recovery {

    private final Trips trips;
    private final OwnShare share;

    Recovery(Trips trips, OwnShare share) {
        this.trips = trips;
        this.share = share;
    }

    /** Returns whether what is taken then counts here; not in another outage, where the share decides, and knows it already. */
    boolean isOn(long nanos) {
        FleetState now = trips.state();
        return now.recovery.covers(nanos) && !now.isOut(nanos);
    }

    /** Returns how long until this node may take that many permits, if the store grants them; zero if there is no recovery. */
    long nanosUntil(int permits, long nowNanos) {
        return isOn(nowNanos) ? orUntilOver(share.nanosUntil(permits, nowNanos), nowNanos) : 0;
    }

    /** Returns for how long this node certainly may not take that many: zero while leases of the share may end at any time. */
    long nanosAtLeast(int permits, long nowNanos) {
        long wait = isOn(nowNanos) ? share.nanosUntil(permits, nowNanos) : PermitPolicy.AWAIT_SIGNAL;
        return wait == PermitPolicy.AWAIT_SIGNAL ? 0 : orUntilOver(wait, nowNanos);
    }

    private long orUntilOver(long wait, long nowNanos) {
        return Math.min(wait, trips.state().recovery.untilNanos() - nowNanos);
    }

    /** Returns for how many of the permits of waiting requests to ask the store; at least for those of the first. */
    long worthAsking(int first, long waiting, long nowNanos) {
        return isOn(nowNanos) ? Math.min(waiting, Math.max(first, share.available(nowNanos))) : waiting;
    }

    /** Returns how many of those available at the store are so for this node. */
    long available(long atStore, long nowNanos) {
        return isOn(nowNanos) ? Math.min(atStore, share.available(nowNanos)) : atStore;
    }

    // What the store grants, charges and gets back, the share takes, charges and gets back, too

    void taken(int permits, long nowNanos) {
        if (isOn(nowNanos)) {
            share.take(permits, nowNanos);
        }
    }

    /** Returns whether the share counts the charge. */
    boolean charged(int permits, long nowNanos) {
        boolean isCounted = isOn(nowNanos);
        if (isCounted) {
            share.charge(permits, nowNanos);
        }
        return isCounted;
    }

    void givenBack(int permits, Portion portion, long takenAtNanos, long nowNanos) {
        if (isOn(takenAtNanos)) {
            share.giveBack(permits, portion, takenAtNanos, nowNanos);
        }
    }
}
