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
     * so little that a node that dies takes little with it. When those who booked leave, what they booked goes back; but what others
     * have booked behind it stays where it is, and the place between may be lost. So nothing is booked for who would not wait for it:
     * not beyond the time that the first has, less what an answer takes to come.
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

    /** Who asks: for how much, for how much with all who wait behind, how long it may have to wait, and whether it does. */
    private record Asker(int permits, long waiting, long longestNanos, boolean isFirst) {}

    /** Answers as {@link PermitPolicy#tryTake}, for somebody who does not wait. */
    long take(int permits, long nowNanos) {
        return take(new Asker(permits, permits, 0, false), nowNanos);
    }

    /** Answers as {@link PermitPolicy#tryTakeFirst}. */
    long takeFirst(int permits, long waiting, long longestNanos, long nowNanos) {
        return take(new Asker(permits, waiting, longestNanos, true), nowNanos);
    }

    private long take(Asker asker, long nowNanos) {
        int permits = asker.permits;
        boolean isFirst = asker.isFirst;
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
            undoUnwanted(next, asker, nowNanos);
            if (next.hand().ripe(nowNanos) >= permits) {
                if (takeRipe(seen, next, asker, nowNanos)) {
                    return PermitPolicy.TAKEN;
                }
                continue;
            }
            long wait = waitFor(next, asker, nowNanos);
            if (trips.publish(seen, next)) {
                if (!Trips.isNew(seen, next) || !trips.send(next.trip)) {
                    return wait;
                }
                if (round >= ROUNDS) {
                    return Math.min(wait, Manners.SOONEST_NANOS); // nobody signals an end that has been
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

    private void undoUnwanted(FleetState next, Asker asker, long nowNanos) {
        next.undoStale(nowNanos);
        if (countsCalls) {
            next.undoOthers(asker.permits);
        }
        if (asker.isFirst) {
            next.undoBeyond(asker.waiting);
        }
    }

    private boolean takeRipe(FleetState seen, FleetState next, Asker asker, long nowNanos) {
        long storeNanos = next.takeRipe(asker.permits, nowNanos);
        if (!asker.isFirst) {
            askAhead(next, asker, nowNanos);
        }
        if (!trips.change(seen, next)) {
            return false;
        }
        stamps.add(nowNanos, storeNanos);
        return true;
    }

    /** What a request that finds too little in hand does: waits for its booking, for the trip under way, or for a new one. */
    private long waitFor(FleetState next, Asker asker, long nowNanos) {
        long booking = asker.isFirst ? next.hand().untilBooking(asker.permits, nowNanos) : -1;
        if (booking > 0) {
            bookAhead(next, asker, nowNanos);
            return booking;
        }
        if (next.trip != null) {
            next.trip.markAwaited(); // and if it ends before what follows is published, all is looked at again
            return PermitPolicy.AWAIT_SIGNAL;
        }
        next.undoAll(); // or what is short of this request would be kept from it
        long denied = denied(next, asker, nowNanos);
        if (denied > 0) {
            return denied;
        }
        long gathering = trips.nanosToGather(asker.waiting, nowNanos);
        if (gathering > 0) {
            return gathering;
        }
        trips.start(next, question(next, asker), nowNanos);
        return PermitPolicy.AWAIT_SIGNAL;
    }

    /** Answers how long a request that finds nothing in hand is known to have to wait, or zero if it is worth asking. */
    private long denied(FleetState next, Asker asker, long nowNanos) {
        if (next.hasToTell()) {
            return 0;
        }
        return asker.isFirst
                ? next.known.deniedFirst(asker.permits, asker.longestNanos, nowNanos, manners)
                : next.known.denied(asker.permits, trips.limit(), nowNanos, manners);
    }

    /** Asks for all who wait; where nobody does, for what is to be kept in hand. */
    private Question question(FleetState next, Asker asker) {
        if (!asker.isFirst) {
            return next.ask(asker.permits, Math.max(asker.permits, trips.leaseAhead()), 0, 0, 0);
        }
        long longest = next.known.bookable(asker.longestNanos);
        return next.ask(asker.permits, asker.waiting, asker.waiting, longest, Math.min(longest, manners.aheadNanos()));
    }

    /** Books for those behind who have no booking: not whenever one more may, but when a quarter of the time ahead is left. */
    private void bookAhead(FleetState next, Asker asker, long nowNanos) {
        int permits = asker.permits;
        long unbooked = asker.waiting - next.hand().permits();
        long ahead = Math.min(manners.aheadNanos(), next.known.bookable(asker.longestNanos));
        if (next.trip == null && unbooked >= permits && next.known.untilBookable(nowNanos) <= ahead / 4) {
            trips.start(next, next.ask(permits, permits, unbooked, ahead, ahead), nowNanos);
        }
    }

    /** Fetches more for later, where that is wanted, before all is used up. */
    private void askAhead(FleetState next, Asker asker, long nowNanos) {
        long left = next.hand().ripe(nowNanos);
        int ahead = trips.leaseAhead();
        if (left < ahead / 2 && next.trip == null && denied(next, asker, nowNanos) == 0) {
            trips.start(next, next.ask(asker.permits, ahead - left, 0, 0, 0));
        }
    }
}
