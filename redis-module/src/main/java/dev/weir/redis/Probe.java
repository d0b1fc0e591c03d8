package dev.weir.redis;

import dev.weir.limit.PermitPolicy;

/**
 * Answers who asks whether anything is available, and takes nothing: from the latest answer of the store and the time since, if that is
 * all there is at once. Where that is not of this moment, a newer one is asked for meanwhile.
 */
final class Probe {

    private static final int ROUNDS = 4;
    private static final long FRESH_NANOS = 10_000_000;

    private final Trips trips;
    private final Alone alone;

    Probe(Trips trips, Alone alone) {
        this.trips = trips;
        this.alone = alone;
    }

    /** Answers as {@link PermitPolicy#tryTake} for no permits. */
    long answer(long nowNanos) {
        for (int round = 0; ; round++) {
            FleetState seen = trips.state();
            if (seen.isOut(nowNanos)) {
                return alone.tryTake(0, false, seen, nowNanos);
            }
            if (seen.hand().ripe(nowNanos) > 0) {
                return PermitPolicy.TAKEN;
            }
            long wait = seen.untilAny(nowNanos);
            Trip underWay = seen.trip;
            if (isOfNow(seen, nowNanos) && (wait != PermitPolicy.AWAIT_SIGNAL || underWay == null)) {
                return wait;
            }
            if (underWay != null && trips.awaitEndOf(underWay, seen)) {
                return wait;
            }
            if (round == ROUNDS) {
                return Math.min(wait, Manners.SOONEST_NANOS); // nobody signals an end that has been
            }
            if (underWay == null) {
                boolean unused = trips.look(seen, nowNanos);
            }
        }
    }

    /** Tells whether the latest answer is hardly older than this, and says either that there is something or when. */
    private static boolean isOfNow(FleetState seen, long nowNanos) {
        return seen.known.isFresh(nowNanos, FRESH_NANOS)
                && !seen.hasToTell()
                && (seen.known.available(0) > 0 || seen.known.untilFirst(nowNanos) > 0);
    }
}
