package dev.weir.redis;

import dev.weir.limit.PermitPolicy;

/**
 * Decides requests for no permits, which only ask whether any is available: from the latest answer of the store and the time since.
 * If that is not current, requests a newer one in the background.
 */
final class ZeroPermits {

    private static final long FRESH_NANOS = 10_000_000;

    private final Trips trips;
    private final OutageDecisions inOutage;

    ZeroPermits(Trips trips, OutageDecisions inOutage) {
        this.trips = trips;
        this.inOutage = inOutage;
    }

    /** Decides as {@link PermitPolicy#tryTake} does for no permits. */
    long tryTake(long nowNanos) {
        for (int round = 0; ; round++) {
            FleetState seen = trips.state();
            if (seen.isOut(nowNanos)) {
                return inOutage.tryTake(0, false, seen, nowNanos);
            }
            if (seen.hand().usable(nowNanos) > 0) {
                return PermitPolicy.TAKEN;
            }
            long wait = seen.untilAny(nowNanos);
            if (isOfNow(seen, nowNanos) && (wait != PermitPolicy.AWAIT_SIGNAL || seen.trip == null)) {
                return wait;
            }
            if (trips.endIfLost(seen, nowNanos)) {
                continue;
            }
            if (trips.awaitEnd(seen)) {
                return wait;
            }
            if (round == NodeSettings.ROUNDS) {
                return Math.min(wait, NodeSettings.SOONEST_NANOS); // no signal follows an end that has passed
            }
            if (seen.trip == null) {
                trips.refresh(seen, nowNanos);
            }
        }
    }

    /** Returns whether the latest answer is current, and says either that permits are available or when. */
    private static boolean isOfNow(FleetState seen, long nowNanos) {
        return seen.known.isFresh(nowNanos, FRESH_NANOS)
                && !seen.hasUpdates()
                && (seen.known.available(0) > 0 || seen.known.untilFirst(nowNanos) > 0);
    }
}
