package dev.weir.redis;

import dev.weir.limit.PermitPolicy;

/**
 * The waits that a limit tells of without asking the store: by the latest answer, the permits in hand, and the share of this node. What
 * other nodes have taken since that answer is not considered.
 */
final class Estimates {

    private final Trips trips;
    private final OutageDecisions inOutage;
    private final Recovery recovery;
    private final Fallback fallback;

    Estimates(Trips trips, OutageDecisions inOutage, Recovery recovery, Fallback fallback) {
        this.trips = trips;
        this.inOutage = inOutage;
        this.recovery = recovery;
        this.fallback = fallback;
    }

    /**
     * Returns after how long a refused request should retry to find the permits being fetched: when the answer arrives at the
     * latest, or sooner, if permits might not be kept for so long. If the answer is overdue, returns the shortest time.
     */
    long nanosToComeBack(long nowNanos) {
        FleetState seen = trips.state();
        Trip underWay = seen.trip;
        if (underWay == null || seen.isOut(nowNanos)) {
            return PermitPolicy.AWAIT_SIGNAL;
        }
        long kept = seen.known.tookNanos() + trips.terms().settings().lifeNanos() / 2;
        return Math.max(NodeSettings.SOONEST_NANOS, Math.min(underWay.nanosLeft(nowNanos), kept));
    }

    /** Returns whether there is no time to retry at: permits return only when leases end, or this node is in an outage. */
    boolean hasNoRetryTime(long nowNanos) {
        FleetState now = trips.state();
        return now.isOut(nowNanos) || (now.trip == null && now.known.denial().isWithoutEnd());
    }

    /** As {@link PermitPolicy#nanosUntil}. */
    long nanosUntil(long ahead, int permits, long nowNanos) {
        return Math.max(recovery.nanosUntil(permits, nowNanos), nanosUntilGranted(ahead, permits, nowNanos));
    }

    /** An estimate where an answer tells of other sizes; behind so many that they exceed the capacity, a lower bound. */
    private long nanosUntilGranted(long ahead, int permits, long nowNanos) {
        FleetState seen = trips.state();
        if (seen.isOut(nowNanos)) {
            return inOutage.nanosUntilAny(nowNanos);
        }
        if (seen.hand().unbooked() >= ahead + permits) {
            return 0;
        }
        if (seen.isAsking()) {
            return PermitPolicy.AWAIT_SIGNAL; // the previous answer no longer counts
        }
        long denied = ahead > 0 ? 0 : seen.known.denial().nanosLeftExactly(permits, nowNanos);
        if (denied > 0) {
            return denied;
        }
        int all = (int) Math.min(ahead + permits, trips.terms().capacity());
        long wait = seen.known.until(all, trips.terms(), nowNanos);
        return wait == PermitPolicy.AWAIT_SIGNAL
                ? wait
                : Math.max(wait, atLeast(seen, Math.min(ahead, 1), ahead, permits, nowNanos));
    }

    /** While the store is asked for more than is booked already, what it said before still counts: who is first waits by that, too. */
    long nanosAtLeast(long requestsAhead, long ahead, int permits, long nowNanos) {
        FleetState seen = trips.state();
        if (seen.isOut(nowNanos)) {
            return inOutage.nanosUntilAny(nowNanos);
        }
        boolean isKnown = !seen.isAsking() || seen.hand().hasBooked();
        long wait = isKnown ? atLeast(seen, requestsAhead, ahead, permits, nowNanos) : 0;
        return Math.max(recovery.nanosAtLeast(permits, nowNanos), wait);
    }

    /**
     * Returns the least wait behind the requests ahead, which the permits in hand serve first. Each of those may be for one permit. If
     * they leave any in hand, returns zero: these are too few for this request and go back to the store, which may then serve it at once.
     */
    private long atLeast(FleetState seen, long requestsAhead, long ahead, int permits, long nowNanos) {
        long inHand = seen.hand().unbooked();
        long left = ahead - inHand;
        long requestsLeft = Math.max(Math.min(left, 1), requestsAhead - inHand);
        return left < 0 ? 0 : seen.known.atLeast(requestsLeft, left, permits, trips.terms(), nowNanos);
    }

    /** As {@link PermitPolicy#nanosUntilFull}. */
    long nanosUntilFull(long nowNanos) {
        FleetState seen = trips.state();
        if (seen.isInUse(nowNanos)
                || trips.isOverdue()
                || seen.held().isAny()
                || (trips.terms().returnsOnRelease() && seen.trip != null)) {
            return PermitPolicy.AWAIT_SIGNAL;
        }
        boolean hasShare = seen.out != null || seen.recovery.covers(nowNanos);
        long ofShare = hasShare ? fallback.nanosUntilFull(trips.terms().periodNanos(), nowNanos) : 0;
        return Math.max(ofShare, seen.known.untilFull(nowNanos));
    }
}
