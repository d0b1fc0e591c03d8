package dev.weir.redis;

import dev.weir.limit.PermitPolicy;

/** Decides while the store answers: gives out what that has granted, and asks it for more. */
final class Together {

    /*
     * Idea. The store decides; a node has in hand what the store has granted, and knows what it last said. Requests are answered from
     * both. What cannot be answered makes a trip, one at a time, which asks for everything that is wanted by then and tells everything
     * that has been given back or charged. When the answer comes those who wait are asked for again.
     *
     * Waiting. Who waits books: the store records the permits at the first time that the limit allows and says when that is, and the
     * engine's own timer does the rest. So nobody polls, and who books first goes first, whichever node it is. The first of those who
     * wait is booked however far ahead it has to be, those behind it a short time ahead: enough to keep a node busy between trips, and
     * so little that a node that dies takes little with it. When those who booked leave, what they booked goes back.
     *
     * Ahead. Where that is wanted, a node takes more than is asked for, and keeps it in hand; but not while somebody waits on it: what it
     * would keep is then what others wait for, here or on other nodes.
     *
     * Calls. Where requests are counted, whatever their permits, what was granted for requests of one size is for those of that size, as
     * it is so many; others give it back and ask anew.
     *
     * Crowds. Who is told of a permit and asks again at once would make a trip alone, and all who are told after it another. So while
     * permits are being told of, a trip waits for as many to ask again, but no longer than for the telling, and a millisecond.
     *
     * Races. All state is one value, replaced by compare-and-set. Whoever puts a trip into it sends that trip, so there is never more
     * than one. A trip ends once; its end is a change like any other. An answer that comes while its question is still being sent is
     * found by whoever sent it; one that comes later, or that somebody else waits for as well, signals the drain, on a thread of the
     * time source and never on that of the connection, as user code runs there.
     *
     * Outages. A trip that fails, or takes too long, begins an outage: from then on this node decides on its own, until a trip
     * succeeds, which is tried once in a while in the background. Which of the two decides is a function of the time of a request, so
     * that a permit that comes back later goes to where it came from. What a lost trip took counts as spent.
     *
     * References: prepaid batches and their bound as in GALE of throttlekit; booking as in the reservations of Guava's limiter, but in
     * the order in which they reach the store.
     */

    private static final int ROUNDS = 4;
    private static final long AGAIN_NANOS = 1_000_000;

    private final Trips trips;
    private final Alone alone;
    private final Manners manners;
    private final Stamps stamps;
    private final boolean returnsOnRelease;
    private final boolean countsCalls;

    Together(Trips trips, Alone alone, Manners manners, Stamps stamps, boolean returnsOnRelease, boolean countsCalls) {
        this.trips = trips;
        this.alone = alone;
        this.manners = manners;
        this.stamps = stamps;
        this.returnsOnRelease = returnsOnRelease;
        this.countsCalls = countsCalls;
    }

    /** Answers as {@link PermitPolicy#tryTakeFirst}, or for somebody who does not wait, and asks for himself alone. */
    long take(int permits, long waiting, boolean isFirst, long nowNanos) {
        for (int round = 0; ; round++) {
            FleetState seen = trips.state();
            if (seen.isOut(nowNanos)) {
                return alone.tryTake(permits, isFirst, seen, nowNanos);
            }
            Trip underWay = seen.trip;
            if (takeOfMany(seen, permits, isFirst, nowNanos)) {
                return PermitPolicy.TAKEN;
            }
            if (underWay != null && seen.hand().isEmpty()) {
                if (trips.awaitEndOf(underWay, seen)) {
                    return PermitPolicy.AWAIT_SIGNAL;
                }
                continue;
            }
            FleetState next = seen.copy();
            undoUnwanted(next, permits, waiting, isFirst, nowNanos);
            if (next.hand().ripe(nowNanos) >= permits) {
                if (takeRipe(seen, next, permits, isFirst, nowNanos)) {
                    return PermitPolicy.TAKEN;
                }
                continue;
            }
            long wait = waitFor(next, permits, waiting, isFirst, nowNanos);
            if (trips.publish(seen, next)) {
                if (!Trips.isNew(seen, next) || !trips.send(next.trip)) {
                    return wait;
                }
                if (round >= ROUNDS) {
                    return Math.min(wait, AGAIN_NANOS); // nobody signals an end that has been
                }
            }
        }
    }

    /** Takes of the first in hand where that changes nothing else, if they were granted to requests like this. */
    private boolean takeOfMany(FleetState seen, int permits, boolean isFirst, long nowNanos) {
        Hand hand = seen.hand();
        boolean isLikeOthers =
                !(countsCalls || returnsOnRelease) || hand.isFor(permits); // or it is another number of calls
        long least = isFirst || seen.trip != null ? 0 : trips.leaseAhead() / 2;
        if (!isLikeOthers || !hand.take(permits, least, nowNanos)) {
            return false;
        }
        stamps.add(nowNanos, hand.first().storeNanos());
        return true;
    }

    /** As {@link PermitPolicy#putBack}: keeps them in hand for as long as they might be. Answers false if they are to be given back. */
    boolean putBack(int permits, long takenAtNanos, long nowNanos) {
        long storeNanos = stamps.storeTime(takenAtNanos);
        for (; ; ) {
            FleetState seen = trips.state();
            if (seen.isOut(takenAtNanos)) {
                return false;
            }
            FleetState next = seen.copy();
            if (!next.putBack(permits, storeNanos, nowNanos, manners.lifeNanos())) {
                return false; // which makes the state that follows
            }
            if (trips.publish(seen, next)) {
                trips.dropLater();
                return true;
            }
        }
    }

    private void undoUnwanted(FleetState next, int permits, long waiting, boolean isFirst, long nowNanos) {
        next.undoStale(nowNanos);
        if (countsCalls) {
            next.undoOthers(permits);
        }
        if (isFirst) {
            next.undoBeyond(waiting);
        }
    }

    private boolean takeRipe(FleetState seen, FleetState next, int permits, boolean isFirst, long nowNanos) {
        long storeNanos = next.takeRipe(permits, nowNanos);
        if (!isFirst) {
            askAhead(next, permits, nowNanos);
        }
        if (!trips.change(seen, next)) {
            return false;
        }
        stamps.add(nowNanos, storeNanos);
        return true;
    }

    /** What a request that finds too little in hand does: waits for its booking, for the trip under way, or for a new one. */
    private long waitFor(FleetState next, int permits, long waiting, boolean isFirst, long nowNanos) {
        long booking = isFirst ? next.hand().untilBooking(permits, nowNanos) : -1;
        if (booking > 0) {
            bookAhead(next, permits, waiting - next.hand().permits(), nowNanos);
            return booking;
        }
        if (next.trip != null) {
            next.trip.markAwaited(); // and if it ends before what follows is published, all is looked at again
            return PermitPolicy.AWAIT_SIGNAL;
        }
        next.undoAll(); // or what is short of this request would be kept from it
        long denied = next.denied(permits, isFirst, nowNanos, manners.pollNanos());
        if (denied > 0) {
            return denied;
        }
        long gathering = trips.nanosToGather(waiting, nowNanos);
        if (gathering > 0) {
            return gathering;
        }
        trips.start(next, question(next, permits, waiting, isFirst), nowNanos);
        return PermitPolicy.AWAIT_SIGNAL;
    }

    /** Asks for all who wait; where nobody does, for what is to be kept in hand. */
    private Question question(FleetState next, int permits, long waiting, boolean isFirst) {
        return isFirst
                ? next.ask(permits, waiting, waiting, Long.MAX_VALUE, manners.aheadNanos())
                : next.ask(permits, Math.max(permits, trips.leaseAhead()), 0, 0, 0);
    }

    /** Books for those behind who have no booking: not whenever one more may, but when a quarter of the time ahead is left. */
    private void bookAhead(FleetState next, int permits, long unbooked, long nowNanos) {
        long ahead = manners.aheadNanos();
        if (next.trip == null && unbooked >= permits && next.known.untilBookable(nowNanos) <= ahead / 4) {
            trips.start(next, next.ask(permits, permits, unbooked, ahead, ahead), nowNanos);
        }
    }

    /** Fetches more for later, where that is wanted, before all is used up. */
    private void askAhead(FleetState next, int permits, long nowNanos) {
        long left = next.hand().ripe(nowNanos);
        int ahead = trips.leaseAhead();
        if (left < ahead / 2 && next.trip == null && next.denied(permits, false, nowNanos, manners.pollNanos()) == 0) {
            trips.start(next, next.ask(permits, ahead - left, 0, 0, 0));
        }
    }
}
