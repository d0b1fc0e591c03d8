package dev.weir.redis;

import dev.weir.limit.PermitPolicy;
import dev.weir.limit.WaitingRequest;
import org.jspecify.annotations.Nullable;

/** Decides while the store answers: hands out permits that the store has granted, and asks it for more. */
final class StoreDecisions {

    /*
     * Idea. The store decides; a node holds permits that the store has granted (its hand), and the latest answer. Requests are
     * decided from both. A request that cannot be starts a trip, one at a time, which asks for all permits wanted by then and
     * carries all updates: permits given back or charged. When the answer arrives, the waiting requests are tried again.
     *
     * Waiting. A waiting request books: the store records the permits at the first time that the limit allows and returns that
     * time; the engine's own timer does the rest. So nobody polls, except for leases, which end when their callers like (Polls); and
     * bookings are served in order, whichever node they are of.
     * The first waiting request is booked as far ahead as needed, those behind it only a short time ahead: enough to keep a node
     * busy between trips, and little enough that a node that dies takes little with it. When waiters leave, their bookings are
     * given back; but bookings of others behind them stay where they are, and the gap may be lost. So nothing is booked for a
     * request that would not wait for it: not beyond the longest wait of the first, less the time that an answer takes.
     *
     * Ahead. With lease-ahead, a node takes more permits than requested and keeps them in hand; but not while requests wait on it:
     * the permits it would keep are those that others wait for, here or on other nodes.
     *
     * Sizes. A question tells the sizes of the waiting requests, in their order, so each is granted or booked what it needs. If
     * the limit counts requests, permits granted for requests of one size serve only requests of that size, as they stand for a
     * number of requests: the first waiting request gives back those of requests that have left, which come before its own.
     *
     * Crowds. A notified caller that asks again at once would make a trip alone, and all callers notified after it another. So
     * while permits are being delivered, a trip waits for as many to ask again, but only until all are delivered, or for a
     * millisecond.
     *
     * Races. All state is one value, replaced by compare-and-set. The thread that publishes a trip sends it, so there is never more
     * than one. A trip ends once; its end is a state change like any other. An answer that arrives while its question is still
     * being sent is found by the sender; one that arrives later, or that another request waits for as well, signals the drain, on a
     * thread of the time source and never on that of the connection, as user code runs there.
     *
     * Outages. A trip that fails, or takes too long, begins an outage: from then on this node decides on its own, until a trip
     * succeeds, which is tried once in a while in the background. Which of the two decides is a function of the time of a request, so
     * that a permit given back later goes to where it came from. An outage begins once nothing more is taken of the hand; the request
     * that found it out, which was made before, is remembered with it (Outage.earlier). What a lost trip took counts as spent. When
     * the store is back it decides again, at first within this node's share.
     *
     * References: prepaid batches and their bound as in GALE of throttlekit; booking as in the reservations of Guava's limiter, but in
     * the order in which they reach the store.
     */

    private final Trips trips;
    private final OutageDecisions inOutage;
    private final Recovery recovery;
    private final Stamps stamps;

    StoreDecisions(Trips trips, OutageDecisions inOutage, Recovery recovery, Stamps stamps) {
        this.trips = trips;
        this.inOutage = inOutage;
        this.recovery = recovery;
        this.stamps = stamps;
    }

    /** A request: its permits, those of all waiting requests, its longest wait, and the request itself if it is the first waiting one. */
    private record Request(
            int permits,
            long waiting,
            long longestNanos,
            @Nullable WaitingRequest first) {

        /** A request that does not wait. */
        static Request alone(int permits) {
            return new Request(permits, permits, 0, null);
        }

        boolean isFirst() {
            return first != null;
        }
    }

    /** Decides as {@link PermitPolicy#tryTake} does, for a request that does not wait. */
    long take(int permits, long nowNanos) {
        return takeWithinShare(Request.alone(permits), nowNanos);
    }

    /** Decides as {@link PermitPolicy#tryTakeFirst} does. */
    long takeFirst(WaitingRequest first, long waiting, long longestNanos, long nowNanos) {
        int permits = first.permits();
        long worthAsking = recovery.worthAsking(permits, Math.max(permits, waiting), nowNanos);
        return takeWithinShare(new Request(permits, worthAsking, longestNanos, first), nowNanos);
    }

    /** Returns whether a request that was not granted exceeds the limit, as far as this node knows, without an answer to come. */
    boolean isDecided(int permits, long nowNanos) {
        FleetState seen = trips.state();
        if (seen.isOut(nowNanos) || seen.hand().hasBooked() || recovery.nanosUntil(permits, nowNanos) > 0) {
            return true;
        }
        boolean isAnswered = seen.trip == null && seen.hand().usable(nowNanos) < permits;
        return isAnswered && nanosDenied(seen, Request.alone(permits), nowNanos) > 0;
    }

    private long takeWithinShare(Request request, long nowNanos) {
        if (!recovery.isOn(nowNanos)) {
            return take(request, nowNanos); // alone, it may find the store back: then it has taken of the share already
        }
        long untilShared = recovery.nanosUntil(request.permits, nowNanos);
        if (untilShared > 0) {
            return untilShare(untilShared, request, nowNanos);
        }
        long wait = take(request, nowNanos);
        if (wait == PermitPolicy.TAKEN) {
            recovery.taken(request.permits, nowNanos);
        }
        return wait;
    }

    /** Where leases of the share may end before, names no wait that might not fit into the longest. */
    private long untilShare(long wait, Request request, long nowNanos) {
        boolean mayBeSooner = request.longestNanos > 0 && recovery.nanosAtLeast(request.permits, nowNanos) == 0;
        return mayBeSooner ? Math.min(wait, request.longestNanos) : wait;
    }

    private long take(Request request, long nowNanos) {
        int permits = request.permits;
        boolean isFirst = request.isFirst();
        for (int round = 0; ; round++) {
            FleetState seen = trips.state();
            if (seen.isOut(nowNanos)) {
                return inOutage.tryTake(permits, isFirst, seen, nowNanos);
            }
            if (takeOfMany(seen, permits, isFirst, nowNanos)) {
                return PermitPolicy.TAKEN;
            }
            if (trips.endIfLost(seen, nowNanos)) {
                continue;
            }
            if (seen.trip != null && seen.hand().isEmpty()) {
                if (trips.awaitEnd(seen)) {
                    return PermitPolicy.AWAIT_SIGNAL;
                }
                continue;
            }
            FleetState next = seen.successor();
            undoUnwanted(next, request, nowNanos);
            if (next.hand().usable(nowNanos) >= permits) {
                if (takeUsable(seen, next, request, nowNanos)) {
                    return PermitPolicy.TAKEN;
                }
                continue;
            }
            long wait = waitFor(next, request, nowNanos);
            if (trips.publish(seen, next)) {
                Trip begun = next.tripBegunSince(seen);
                if (begun != null) {
                    trips.send(begun);
                }
                if (begun == null || begun.signalsSender()) {
                    return wait;
                }
                if (round >= NodeSettings.ROUNDS) {
                    return Math.min(wait, NodeSettings.SOONEST_NANOS); // no signal follows an end that has passed
                }
            }
        }
    }

    /** Takes permits of the first grant in hand if that changes nothing else and they were granted for requests like this. */
    private boolean takeOfMany(FleetState seen, int permits, boolean isFirst, long nowNanos) {
        Hand hand = seen.hand();
        FleetTerms terms = trips.terms();
        boolean isAnySize = !terms.countsCalls() && !terms.returnsOnRelease();
        boolean isLikeOthers = isAnySize || hand.isFor(permits); // otherwise the number of calls would change
        long least = isFirst || seen.trip != null ? 0 : terms.leaseAhead() / 2;
        if (!isLikeOthers || !hand.take(permits, least, nowNanos)) {
            return false;
        }
        stamps.add(nowNanos, hand.first().storeNanos());
        return true;
    }

    /** As {@link PermitPolicy#putBack}: keeps them in hand until they expire. Returns false if they are to be given back. */
    boolean putBack(int permits, long takenAtNanos, long nowNanos) {
        long storeNanos = stamps.storeTime(takenAtNanos);
        long lifeNanos = trips.terms().settings().lifeNanos();
        for (; ; ) {
            FleetState seen = trips.state();
            if (seen.isOut(takenAtNanos)) {
                return false;
            }
            FleetState next = seen.successor();
            if (!next.putBack(permits, storeNanos, nowNanos, lifeNanos)) {
                return false; // the caller then changes the state
            }
            if (trips.publish(seen, next)) {
                trips.chores.dropLater();
                return true;
            }
        }
    }

    private void undoUnwanted(FleetState next, Request request, long nowNanos) {
        next.undoStale(nowNanos);
        if (trips.terms().countsCalls()) {
            undoOfOtherSizes(next, request);
        }
        if (request.isFirst()) {
            next.undoBeyond(request.waiting);
        }
    }

    private static void undoOfOtherSizes(FleetState next, Request request) {
        if (request.isFirst()) {
            next.undoBefore(request.permits);
        } else {
            next.undoOthers(request.permits);
        }
    }

    private boolean takeUsable(FleetState seen, FleetState next, Request request, long nowNanos) {
        long storeNanos = next.takeUsable(request.permits, nowNanos);
        if (!request.isFirst()) {
            askAhead(next, request, nowNanos);
        }
        if (!trips.change(seen, next)) {
            return false;
        }
        stamps.add(nowNanos, storeNanos);
        return true;
    }

    /** Makes a request that finds too few permits in hand wait: for its booking, for the trip in flight, or for a new one. */
    private long waitFor(FleetState next, Request request, long nowNanos) {
        WaitingRequest first = request.first;
        long booking = first == null ? -1 : next.hand().untilBooking(request.permits, nowNanos);
        if (first != null && booking > 0) {
            bookAhead(next, first, request, nowNanos);
            return booking;
        }
        if (next.trip != null) {
            next.trip.markAwaited(); // if it ends before next is published, the loop starts over
            return PermitPolicy.AWAIT_SIGNAL;
        }
        next.undoAll(); // permits in hand, too few for this request, must not be kept from it
        long denied = nanosDenied(next, request, nowNanos);
        if (denied > 0) {
            if (first != null && next.known.denial().isWithoutEnd()) {
                trips.chores.pollLater(request.permits, request.longestNanos, nowNanos);
            }
            return denied;
        }
        long gathering = trips.waiters.nanosToGather(request.waiting, nowNanos);
        if (gathering > 0) {
            return gathering;
        }
        trips.start(next, question(next, request), nowNanos);
        return PermitPolicy.AWAIT_SIGNAL;
    }

    /** Returns how long a request that finds no permits in hand is known to have to wait, or zero if asking is worthwhile. */
    private long nanosDenied(FleetState next, Request request, long nowNanos) {
        if (next.hasUpdates()) {
            return 0;
        }
        FleetTerms terms = trips.terms();
        return request.isFirst()
                ? next.known.nanosDeniedFirst(request.permits, request.longestNanos, nowNanos, terms.settings())
                : next.known.nanosDenied(request.permits, terms, nowNanos);
    }

    /** Creates a question for all waiting requests, or, if none waits, for this one and the permits to lease ahead. */
    private Question question(FleetState next, Request request) {
        FleetTerms terms = trips.terms();
        WaitingRequest first = request.first;
        if (first == null) {
            return next.ask(Wanted.atOnce(request.permits, Math.max(request.permits, terms.leaseAhead())));
        }
        if (request.longestNanos == 0) {
            // A store must not take it for one that waits.
            return next.ask(Wanted.atOnce(request.permits, request.waiting));
        }
        long longest = next.known.bookable(request.longestNanos);
        long ahead = Math.min(longest, terms.settings().aheadNanos());
        Sizes sizes = Sizes.from(first, request.waiting);
        return next.ask(new Wanted(sizes, sizes.permits(), sizes.permits(), longest, ahead));
    }

    /** Books for waiting requests without a booking: not one by one, but when what is booked will be used up soon. */
    private void bookAhead(FleetState next, WaitingRequest first, Request request, long nowNanos) {
        long booked = next.hand().permits();
        long unbooked = request.waiting - booked;
        long ahead = Math.min(trips.terms().settings().aheadNanos(), next.known.bookable(request.longestNanos));
        if (next.trip == null && unbooked > 0 && isTimeToBook(next, unbooked, ahead / 4, nowNanos)) {
            WaitingRequest behind = Sizes.behind(first, booked);
            int one = behind.permits();
            if (one <= unbooked) {
                Sizes sizes = Sizes.from(behind, unbooked);
                trips.start(next, next.ask(new Wanted(sizes, one, sizes.permits(), ahead, ahead)), nowNanos);
            }
        }
    }

    /**
     * Returns whether to book for the requests without a booking. If the latest answer said when the next one can be booked: a quarter
     * of the look-ahead before that. Otherwise it booked all that was asked for, or as many as it books at once: then when a new answer
     * would arrive only after the latest booking is due, but at most a quarter of the look-ahead before that, and only if the unbooked
     * permits last as long as an answer takes; a smaller question would leave all others to the one after it.
     */
    private static boolean isTimeToBook(FleetState next, long unbooked, long quarter, long nowNanos) {
        Knowledge known = next.known;
        if (known.denial().isAny()) {
            return known.denial().nanosUntilBookable(nowNanos) <= quarter;
        }
        long left = next.hand().untilLatest(nowNanos);
        long took = known.tookNanos();
        return left <= Math.min(quarter, took) && left / next.hand().permits() * unbooked >= took;
    }

    /**
     * Leases more permits ahead, if configured, before those in hand are used up; but not for requests larger than what may be added:
     * the store books a request that it is not to serve at once.
     */
    private void askAhead(FleetState next, Request request, long nowNanos) {
        long left = next.hand().usable(nowNanos);
        int ahead = trips.terms().leaseAhead();
        boolean isWorthATrip = left < ahead / 2 && ahead - left >= request.permits;
        if (isWorthATrip && next.trip == null && nanosDenied(next, request, nowNanos) == 0) {
            trips.start(next, next.ask(Wanted.atOnce(request.permits, ahead - left)), nowNanos);
        }
    }
}
