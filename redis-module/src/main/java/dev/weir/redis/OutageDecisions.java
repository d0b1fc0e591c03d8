package dev.weir.redis;

import dev.weir.limit.PermitPolicy;

/** Decides without the store during an outage, and probes the store once in a while. */
final class OutageDecisions {

    private final Trips trips;
    private final Fallback fallback;

    OutageDecisions(Trips trips, Fallback fallback) {
        this.trips = trips;
        this.fallback = fallback;
    }

    /** Decides as {@link PermitPolicy#tryTake} does, in a state that is in an outage. */
    long tryTake(int permits, boolean isFirst, FleetState seen, long nowNanos) {
        int ofShare = fallback.ofShare(permits);
        long wait = fallback.tryTake(permits, ofShare, nowNanos);
        boolean isTaken = wait == PermitPolicy.TAKEN;
        if (isTaken && permits > 0) {
            hold(permits);
            fallback.taken(permits, ofShare, nowNanos);
        }
        boolean isWaiting = isFirst && wait > 0;
        probeIfDue(isTaken ? trips.state() : seen, isWaiting, nowNanos);
        if (isTaken) {
            trips.reporter.report();
        }
        if (isWaiting) {
            trips.chores.comeBackLater();
        }
        return fallback.isRefusing() ? untilProbed(nowNanos) : wait;
    }

    private void hold(int permits) {
        if (trips.terms().returnsOnRelease()) {
            trips.update(next -> next.hold(permits, 1));
        }
    }

    /** Returns what is available here, in a state that is in an outage. A mere look probes, too: some ask only if they see permits. */
    long available(FleetState seen, long nowNanos) {
        probeIfDue(seen, false, nowNanos);
        return fallback.available(trips.terms().whenFull(), nowNanos);
    }

    void charge(int permits, long nowNanos) {
        fallback.charge(permits, nowNanos);
        trips.update(FleetState::renew);
    }

    /** Returns for how long it is certain that no permit is available, in a state that is in an outage. */
    long nanosUntilAny(long nowNanos) {
        return fallback.isRefusing() ? untilProbed(nowNanos) : 0;
    }

    /** Returns how long until the probe in flight ends, or until the next one is due. */
    private long untilProbed(long nowNanos) {
        FleetState now = trips.state();
        long left = now.out == null ? 0 : now.out.retryNanos() - nowNanos;
        return Math.max(1, now.trip == null ? left : now.trip.nanosLeft(nowNanos));
    }

    private void probeIfDue(FleetState seen, boolean isAwaited, long nowNanos) {
        if (seen.out == null || seen.trip != null || !seen.out.isProbeDue(nowNanos)) {
            return;
        }
        FleetState next = seen.successor();
        Trip trip = trips.start(next, next.ask(Wanted.NOTHING), nowNanos);
        if (isAwaited) {
            trip.markAwaited();
        }
        trips.change(seen, next);
    }
}
