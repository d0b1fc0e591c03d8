package dev.weir.redis;

import dev.weir.limit.PermitPolicy;

/** Decides while the store does not answer, and looks for it once in a while. */
final class Alone {

    private final Trips trips;
    private final Fallback fallback;

    Alone(Trips trips, Fallback fallback) {
        this.trips = trips;
        this.fallback = fallback;
    }

    /** Answers as {@link PermitPolicy#tryTake} in a state that is out. */
    long tryTake(int permits, boolean isFirst, FleetState seen, long nowNanos) {
        Outage outage = seen.out != null ? seen.out : new Outage(nowNanos, nowNanos, trips.latestCause());
        long wait = fallback.tryTake(permits, nowNanos);
        boolean isWaiting = isFirst && wait > 0;
        FleetState now = seen;
        if (wait == PermitPolicy.TAKEN && permits > 0 && fallback.returnsOnRelease()) {
            trips.tell((before, next) -> next.hold(permits, 1));
            now = trips.state();
        }
        if (now.out != null && now.trip == null && outage.isWorthALook(wait == PermitPolicy.TAKEN, nowNanos)) {
            look(now, isWaiting);
        }
        if (wait == PermitPolicy.TAKEN) {
            trips.lookLater();
        }
        if (isWaiting) {
            trips.comeBackLater();
        }
        return fallback.isRefusing() ? untilLooked(nowNanos) : wait;
    }

    /** Returns how long it is certain that there is nothing in a state that is out. */
    long nanosUntilAny(long nowNanos) {
        return fallback.isRefusing() ? untilLooked(nowNanos) : 0;
    }

    /** Returns how long until the look that is under way is over, or until it is time for one. */
    private long untilLooked(long nowNanos) {
        FleetState now = trips.state();
        long left = now.out == null ? 0 : now.out.retryNanos() - nowNanos;
        return Math.max(1, now.trip == null ? left : trips.nanosLeft(now.trip, nowNanos));
    }

    private void look(FleetState seen, boolean isAwaited) {
        FleetState next = seen.copy();
        Trip trip = trips.start(next, next.askNothing());
        if (isAwaited) {
            trip.markAwaited();
        }
        trips.change(seen, next);
    }
}
